// Stands before a server and gives each request a token, for clients that have
// none to give. Everything else goes through as it is.
//
//     TOKEN=qrt_... node proxy.mjs http://127.0.0.1:7733
//
// prints the port it listens at.
import http from 'node:http';

const to = new URL(process.argv[2]);
const server = http.createServer((request, answer) => {
    const headers = {...request.headers,
                     authorization: 'Bearer ' + process.env.TOKEN};
    const on = http.request({host: to.hostname, port: to.port,
                             method: request.method, path: request.url,
                             headers, agent: false}, (got) => {
        answer.writeHead(got.statusCode, got.headers);
        answer.flushHeaders();
        got.pipe(answer);
        got.on('error', () => answer.destroy());
    });
    on.on('error', () => answer.destroy());
    answer.on('close', () => on.destroy());
    request.pipe(on);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
