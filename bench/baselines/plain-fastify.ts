import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import type { KeptAnswer } from '../fetch-answer.ts';

/*
 * The least that could send an answer of the site: a Fastify with one route, which sends the same
 * bytes from a Buffer. No log, no headers but those that say what the bytes are, no checks.
 * ANSWER is the file that holds the answer.
 */

const answer = JSON.parse(readFileSync(process.env['ANSWER'] ?? '', 'utf8')) as KeptAnswer;
const body = Buffer.from(answer.body, 'base64');
const app = Fastify();

app.get('/', (_request, reply) => {
  reply.code(answer.status).headers(answer.headers).send(body);
});
// What tells the start of a server whose answer isn't a 200.
app.get('/health/live', (_request, reply) => reply.send('up'));

await app.listen({ host: process.env['HOST'] ?? '', port: Number(process.env['PORT']) });
