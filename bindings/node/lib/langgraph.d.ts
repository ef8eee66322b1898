import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { Home, Sync } from "./index";

/** A checkpointer for LangGraph.js: a thread is a session. */
export class QuireSaver extends BaseCheckpointSaver {
  constructor(home: Home, options?: { serde?: any; sync?: Sync });
  /** Close the session of a thread, or of all: another process may write to it. */
  release(threadId?: string): Promise<void>;
  getTuple(config: any): Promise<any>;
  list(config: any, options?: any): AsyncGenerator<any>;
  put(config: any, checkpoint: any, metadata: any, newVersions?: any): Promise<any>;
  putWrites(config: any, writes: any, taskId: string): Promise<void>;
  deleteThread(threadId: string): Promise<void>;
}
