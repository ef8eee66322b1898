// How long a program's own sink takes for 100 MiB in pieces of 4 KiB, its tail
// kept in memory and the whole written to a file, without its own start:
// `sink.mjs PROGRAM TEXT DIR`, PROGRAM being omp18 (under bun) or pi (under
// node). TEXT is repeated until 100 MiB are reached. Prints milliseconds and
// the size of the file. The folder that holds node_modules is $INTEROP_PKG.
import fs from "node:fs";
import path from "node:path";

const [program, text, dir] = process.argv.slice(2);
const piece = 4096, total = 100 << 20;
const source = fs.readFileSync(text);
const pkg = (...parts) => import(path.join(process.env.INTEROP_PKG, "node_modules", ...parts));

function* pieces() {
    for (let done = 0, at = 0; done < total; done += piece, at += piece) {
        if (at + piece > source.length) at = 0;
        yield source.subarray(at, at + piece);
    }
}

async function omp18() {
    const { OutputSink } = await pkg("@oh-my-pi/pi-coding-agent", "src/session/streaming-output.ts");
    const file = path.join(dir, "0.bash.log");
    const texts = Array.from(pieces(), p => p.toString("utf8"));
    const began = performance.now();
    const sink = new OutputSink({ artifactPath: file, artifactId: "0" });
    for (const t of texts) sink.push(t);
    await sink.dump();
    return [performance.now() - began, file];
}

async function pi() {
    process.env.TMPDIR = dir;
    const { OutputAccumulator } = await pkg("@mariozechner/pi-coding-agent", "dist/core/tools/output-accumulator.js");
    const chunks = Array.from(pieces());
    const began = performance.now();
    const sink = new OutputAccumulator({ tempFilePrefix: "pi" });
    for (const c of chunks) sink.append(c);
    sink.finish();
    const shown = sink.snapshot({ persistIfTruncated: true });
    await sink.closeTempFile();
    return [performance.now() - began, shown.fullOutputPath];
}

const [took, file] = await { omp18, pi }[program]();
console.log(took, fs.statSync(file).size);
process.exit(0);
