import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { destination, pino, stdTimeFunctions } from 'pino';

/*
 * The baseline for one of the site's responses: a Fastify server whose only route sends the same bytes and headers from
 * memory and logs each request in the same format. RESPONSE is the file with the recorded response.
 */

/** A response as received, not decoded. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64, still compressed. */
  readonly body: string;
}

const { RESPONSE = '', HOST = '127.0.0.1', PORT } = process.env;
const response = JSON.parse(readFileSync(RESPONSE, 'utf8')) as RecordedResponse;
const body = Buffer.from(response.body, 'base64');
const settings = { base: { process: 'web' }, timestamp: stdTimeFunctions.isoTime };
const log = pino(settings, destination({ sync: false }));
const app = Fastify();

app.addHook('onResponse', async ({ id: reqId, method }, { statusCode: status, elapsedTime }) => {
  log.info({ reqId, method, route: '/', status, ms: Math.round(elapsedTime * 10) / 10 }, 'request completed');
});
app.get('/', (_request, reply) => {
  reply.code(response.status).headers(response.headers).send(body);
});
// Reports readiness even if the recorded response isn't a 200.
app.get('/health/live', (_request, reply) => reply.send('live'));

await app.listen({ host: HOST, port: Number(PORT) });
