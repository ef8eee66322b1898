// How long a program takes to open a session and to build the context of its
// last leaf, without its own start: `load.mjs PROGRAM FILE`, PROGRAM being
// omp18, omp13 (under bun) or pi (under node). Prints milliseconds, the number
// of messages and the number of entries. The folder that holds node_modules is
// $INTEROP_PKG. The file may be written to: give it a copy.
import path from "node:path";

const [program, file] = process.argv.slice(2);
const parts = {
    omp18: ["@oh-my-pi/pi-coding-agent", "src/session/session-manager.ts"],
    omp13: ["@oh-my-pi/pi-coding-agent", "src/session/session-manager.ts"],
    pi: ["@mariozechner/pi-coding-agent", "dist/core/session-manager.js"],
}[program];
const { SessionManager } = await import(path.join(process.env.INTEROP_PKG, "node_modules", ...parts));

const began = performance.now();
const m = await (program === "pi" ? SessionManager.open(file, path.dirname(file)) : SessionManager.open(file));
const context = m.buildSessionContext();
const took = performance.now() - began;

console.log(took, context.messages.length, m.getEntries().length);
process.exit(0);
