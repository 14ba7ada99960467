import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import type { KeptAnswer } from '../fetch-answer.ts';

/*
 * The least that could send an answer of the site: a Fastify with one route, which sends the same
 * bytes from a Buffer. No log, no headers but those that say what the bytes are, no checks.
 * ANSWER is the file that holds the answer.
 */

const { ANSWER = '', HOST = '127.0.0.1', PORT } = process.env;
const answer = JSON.parse(readFileSync(ANSWER, 'utf8')) as KeptAnswer;
const body = Buffer.from(answer.body, 'base64');
const app = Fastify();

app.get('/', (_request, reply) => {
  reply.code(answer.status).headers(answer.headers).send(body);
});
// Tells that it is up where the answer isn't a 200.
app.get('/health/live', (_request, reply) => reply.send('up'));

// Node writes its compile cache at an orderly end only.
process.once('SIGTERM', () => app.close());
await app.listen({ host: HOST, port: Number(PORT) });
