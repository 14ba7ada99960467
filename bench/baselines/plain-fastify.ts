import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import type { CopiedAnswer } from '../copy-answer.ts';

/*
 * The least that sends a page: Fastify, one route, and the bytes and headers of an answer of the
 * site, from the file given (`copyAnswer`).
 */

const [file = ''] = process.argv.slice(2);
const { path, headers, base64 } = JSON.parse(readFileSync(file, 'utf8')) as CopiedAnswer;
const body = Buffer.from(base64, 'base64');
const { HOST = '127.0.0.1', PORT } = process.env;

const app = Fastify();
app.get(path, (_request, reply) => reply.headers(headers).send(body));
// Node writes its compile cache at an orderly end only.
process.once('SIGTERM', () => app.close());
await app.listen({ host: HOST, port: Number(PORT) });
