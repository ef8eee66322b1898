// The official clients, of both eras, over stdio and by HTTP, where node and they
// are there; the command line of the inspector too, if it is:
//
//     INTEROP_DIR=DIR tests/interop/fetch --mcp
//     cp tests/mcp/node/*.mjs DIR/mcp-clients
//     node DIR/mcp-clients/official.mjs build/quire
//
// A line for each client, and status 0 if all got what they asked for.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import assert from 'node:assert/strict';

const program = resolve(process.argv[2] ?? 'build/quire');

async function lookAround(name, client, transport) {
    await client.connect(transport);
    const call = args => client.callTool({ name: 'workspace', arguments: args });
    assert.deepEqual((await client.listTools()).tools.map(t => t.name),
        ['workspace']);
    const put = await call({ action: 'write', filename: 'a.md', content: 'hi' });
    assert.equal(put.structuredContent.success, true);
    const uri = `quire://artifact/${put.structuredContent.data.artifact_id}`;
    const got = await client.readResource({ uri });
    assert.equal(got.contents[0].text, 'hi');
    assert.ok((await client.listResources()).resources.some(r => r.uri === uri));
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length,
        4);
    assert.deepEqual((await client.listPrompts()).prompts.map(p => p.name),
        ['recall', 'hand-off']);
    const recall = await client.getPrompt({
        name: 'recall', arguments: { query: 'hi' }
    });
    assert.match(recall.messages[0].content.text, /a\.md/);
    const ids = await client.complete({
        ref: { type: 'ref/resource', uri: 'quire://artifact/{id}' },
        argument: { name: 'id', value: '' }
    });
    assert.deepEqual(ids.completion.values, ['1']);
    assert.equal((await call({ action: 'read', filename: 'no' })).isError, true);
    await assert.rejects(client.readResource({ uri: 'quire://artifact/77' }));
    await client.close();
    console.log(`${name}: all is well`);
}

async function run(name, module, options) {
    const { Client } = await import(module.client);
    const { StdioClientTransport } = await import(module.stdio);
    const home = mkdtempSync(join(tmpdir(), 'quire-mcp-'));
    try {
        await lookAround(name,
            new Client({ name: 'official', version: '1' }, options),
            new StdioClientTransport({
                command: program, args: ['mcp'],
                env: { ...process.env, QUIRE_HOME: home }
            }));
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

// A server with a home of its own, and a tenant's token.
async function serve(use) {
    const home = mkdtempSync(join(tmpdir(), 'quire-mcp-'));
    const env = { ...process.env, QUIRE_HOME: home };
    const { token } = JSON.parse(execFileSync(program,
        ['tenant', 'add', 'official', '--json'], { env }));
    const server = spawn(program, ['serve', '--listen', '127.0.0.1:0'],
        { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const base = await new Promise(found => server.stderr.on('data', text => {
        const said = /listening on (\S+)/.exec(text);
        if (said) found(said[1]);
    }));
    try {
        await use(new URL(base + '/mcp'), token);
    } finally {
        const ended = new Promise(done => server.on('exit', done));
        server.kill();
        assert.equal(await ended, 0);
        rmSync(home, { recursive: true, force: true });
    }
}

async function runHttp(name, module, options) {
    const { Client } = await import(module.client);
    const { StreamableHTTPClientTransport } = await import(module.http);
    await serve((url, token) => lookAround(name,
        new Client({ name: 'official', version: '1' }, options),
        new StreamableHTTPClientTransport(url, {
            requestInit: { headers: { Authorization: `Bearer ${token}` } }
        })));
}

// It has no way to give a token, so it asks through a proxy that has.
async function throughProxy(url, token, use) {
    const proxy = spawn(process.execPath,
        [fileURLToPath(new URL('proxy.mjs', import.meta.url)), url.origin],
        { env: { ...process.env, TOKEN: token },
          stdio: ['ignore', 'pipe', 'inherit'] });
    try {
        const port = await new Promise(found =>
            proxy.stdout.once('data', text => found(parseInt(text))));
        await use(`http://127.0.0.1:${port}${url.pathname}`);
    } finally {
        proxy.kill();
    }
}

async function inspect() {
    const cli = fileURLToPath(
        new URL('node_modules/.bin/mcp-inspector', import.meta.url));
    if (!existsSync(cli)) {
        console.log('inspector: not there');
        return;
    }
    await serve((url, token) => throughProxy(url, token, async address => {
        const ask = async (...args) => JSON.parse((await promisify(execFile)(
            cli, ['--cli', address, '--transport', 'http', ...args])).stdout);
        const list = await ask('--method', 'tools/list');
        assert.equal(list.tools[0].name, 'workspace');
        const put = await ask('--method', 'tools/call', '--tool-name',
            'workspace', '--tool-arg', 'action=write', 'filename=i.md',
            'content=hi');
        assert.equal(put.structuredContent.success, true);
        const seen = await ask('--method', 'resources/list');
        assert.equal(seen.resources[0].name, 'i.md');
        console.log('inspector by HTTP: all is well');
    }));
}

const first = {
    client: '@modelcontextprotocol/sdk/client/index.js',
    stdio: '@modelcontextprotocol/sdk/client/stdio.js',
    http: '@modelcontextprotocol/sdk/client/streamableHttp.js'
};
const second = {
    client: '@modelcontextprotocol/client',
    stdio: '@modelcontextprotocol/client/stdio',
    http: '@modelcontextprotocol/client'
};
const now = { capabilities: {}, versionNegotiation: { mode: 'auto' } };
const before = { capabilities: {}, versionNegotiation: { mode: 'legacy' } };
await run('sdk', first, { capabilities: {} });
await run('client, 2026-07-28', second, now);
await run('client, as before', second, before);
await runHttp('sdk by HTTP', first, { capabilities: {} });
await runHttp('client by HTTP, 2026-07-28', second, now);
await runHttp('client by HTTP, as before', second, before);
await inspect();
