import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { createLogger } from '../../shared/node/logging/logger.ts';
import type { KeptAnswer } from '../fetch-answer.ts';

/*
 * The least that could send an answer of the site: a Fastify with one route, which sends the same
 * bytes from a Buffer. No log, no headers but those that say what the bytes are, no checks.
 * ANSWER is the file that holds the answer; with IS_DRESSED it sends all headers of the answer and
 * writes a line for each request as the site does, and still checks nothing.
 */

const { ANSWER = '', IS_DRESSED, HOST = '127.0.0.1', PORT } = process.env;
const answer = JSON.parse(readFileSync(ANSWER, 'utf8')) as KeptAnswer;
const body = Buffer.from(answer.body, 'base64');
const headers = { ...answer.headers, ...(IS_DRESSED ? answer.otherHeaders : {}) };
const app = Fastify();

if (IS_DRESSED) {
  const logger = createLogger({ level: 'info', process: 'web', gathersLines: true });
  const log = logger.child({}, { redact: [] });
  app.addHook('onResponse', async ({ id: reqId, method }, { statusCode: status, elapsedTime }) => {
    const ms = Math.round(elapsedTime * 10) / 10;
    log.info({ reqId, method, route: '/', status, ms }, 'request completed');
  });
}
app.get('/', (_request, reply) => {
  reply.code(answer.status).headers(headers).send(body);
});
// Tells that it is up where the answer isn't a 200.
app.get('/health/live', (_request, reply) => reply.send('up'));

// Node writes its compile cache at an orderly end only.
process.once('SIGTERM', () => app.close());
await app.listen({ host: HOST, port: Number(PORT) });
