"use strict";
// An agent without a model; it prints what was acknowledged: agent.js HOME [SESSION].
const { quire } = require("./support.js");

function say(...words) { require("fs").writeSync(1, words.join(" ") + "\n"); }

(async () => {
  const home = await quire.open(process.argv[2]);
  const session = process.argv[3] ? await home.openSession(process.argv[3], { sync: "none" })
    : await home.newSession({ sync: "none" });
  say("session", session.id);
  for (let turn = 1; ; turn++) {
    say("entry", await session.message("user", `turn ${turn}`));
    if (turn % 5 === 0) {
      const sink = await session.sink("seq", { threshold: 16 });
      sink.write("0123456789\n".repeat(100));
      say("output", (await sink.finish()).address);
    }
    if (turn % 7 === 0) say("artifact", (await session.putArtifact(`turn-${turn}.md`, "x")).path);
    if (turn % 11 === 0) say("fact", (await home.remember("learning", `turn ${turn}`)).id);
    say("entry", await session.message("assistant", `answer ${turn}`));
  }
})();
