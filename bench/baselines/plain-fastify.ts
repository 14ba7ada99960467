import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { destination, pino, stdTimeFunctions } from 'pino';
import type { RecordedResponse } from './recorded-response.ts';

/*
 * The least that sends a response of the site: a Fastify with one route that sends the same bytes from
 * a Buffer, without log, other headers or checks. RESPONSE is the file of the recorded response; with
 * IS_DRESSED it also sends all headers of the response and logs each request in the same line.
 */

/** As many bytes of log lines go to the file at once. */
const LOG_BUFFER_BYTES = 4_096;

const { RESPONSE = '', IS_DRESSED, HOST = '127.0.0.1', PORT } = process.env;
const response = JSON.parse(readFileSync(RESPONSE, 'utf8')) as RecordedResponse;
const body = Buffer.from(response.body, 'base64');
const headers = { ...response.headers, ...(IS_DRESSED ? response.otherHeaders : {}) };
const app = Fastify();

if (IS_DRESSED) {
  const settings = { base: { process: 'web' }, timestamp: stdTimeFunctions.isoTime };
  const log = pino(settings, destination({ sync: false, minLength: LOG_BUFFER_BYTES }));
  app.addHook('onResponse', async ({ id: reqId, method }, { statusCode: status, elapsedTime }) => {
    log.info({ reqId, method, route: '/', status, ms: Math.round(elapsedTime * 10) / 10 }, 'request completed');
  });
}
app.get('/', (_request, reply) => {
  reply.code(response.status).headers(headers).send(body);
});
// Ready also where the response isn't a 200.
app.get('/health/live', (_request, reply) => reply.send('live'));

// Node writes its compile cache only when it exits by itself.
process.once('SIGTERM', () => app.close());
await app.listen({ host: HOST, port: Number(PORT) });
