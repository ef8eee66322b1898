// The official clients over stdio, of both eras, where node and they are there:
//
//     npm install --prefix DIR @modelcontextprotocol/sdk@1.32.2 \
//         @modelcontextprotocol/client@2.4.0
//     cp official.mjs DIR; node DIR/official.mjs build/quire
//
// A line for each client, and status 0 if both got what they asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

const first = {
    client: '@modelcontextprotocol/sdk/client/index.js',
    stdio: '@modelcontextprotocol/sdk/client/stdio.js'
};
const second = {
    client: '@modelcontextprotocol/client',
    stdio: '@modelcontextprotocol/client/stdio'
};
await run('sdk', first, { capabilities: {} });
await run('client, 2026-07-28', second,
    { capabilities: {}, versionNegotiation: { mode: 'auto' } });
await run('client, as before', second,
    { capabilities: {}, versionNegotiation: { mode: 'legacy' } });
