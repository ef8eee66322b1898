"use strict";
// What the checkpointer uses of @langchain/langgraph-checkpoint, declared again for quick tests
// without that package; tests/node/official runs its own suite.
class BaseCheckpointSaver {
  constructor(serde) {
    this.serde = serde || {
      async dumpsTyped(v) { return v instanceof Uint8Array ? ["bytes", v] : ["json", Buffer.from(JSON.stringify(v))]; },
      async loadsTyped(kind, v) { return kind === "bytes" ? v : JSON.parse(v); } };
  }

  getNextVersion(current) { return current === undefined ? 1 : current + 1; }
}

module.exports = { BaseCheckpointSaver, TASKS: "__pregel_tasks",
  WRITES_IDX_MAP: { __error__: -1, __scheduled__: -2, __interrupt__: -3, __resume__: -4 },
  getCheckpointId: (config) => (config.configurable || {}).checkpoint_id || "",
  maxChannelVersion: (...all) => all.reduce((a, b) => (a > b ? a : b)) };
