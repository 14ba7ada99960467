import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { classifyResponse, readRetryAfter } from './classify-response.ts';
import { createOutboundClient, type OutboundResponse } from './outbound-client.ts';

/** Starts a server for one test. Returns its port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  return (server.address() as AddressInfo).port;
}

function call(url: string, options: { allowed?: string[]; signal?: AbortSignal } = {}) {
  const client = createOutboundClient(options.allowed ?? ['127.0.0.1', 'localhost']);
  onTestFinished(client.close);

  return client.call({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: options.signal ?? new AbortController().signal,
  });
}

const answerWith = (status: number, headers: Record<string, string> = {}): OutboundResponse => ({
  status,
  header: (name) => headers[name],
  text: '',
  isTruncated: false,
});

describe('the outbound client', () => {
  test('returns a response with any status', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(418, { 'x-thing': 'a' }).end('tea');
    });

    const response = await call(`http://127.0.0.1:${port}/`);

    expect(response).toMatchObject({ status: 418, text: 'tea' });
    expect(response.header('x-thing')).toBe('a');
  });

  test('does not follow a redirect, because the operator should set the final address', async () => {
    let count = 0;
    const port = await serve((_request, response) => {
      count += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });

    await expect(call(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      result: 'paused',
      reason: 'http-redirect',
    });
    expect(count).toBe(1);
  });

  test.each([
    'http://localhost:PORT/',
    'http://127.0.0.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'https://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://0177.0.0.1:PORT/',
  ])(
    'does not connect to %s unless it is allowed',
    async (url) => {
      let count = 0;
      const port = await serve((_request, response) => {
        count += 1;
        response.end();
      });

      await expect(call(url.replace('PORT', String(port)), { allowed: [] })).rejects.toMatchObject({
        result: 'paused',
        reason: 'http-ADDRESS_REFUSED',
      });
      expect(count).toBe(0);
    },
  );

  test.each([200, 400])(
    'truncates a response with status %i to 64 KiB',
    async (status) => {
      let sent = 0;
      const port = await serve((_request, response) => {
        response.writeHead(status);
        // An endless response.
        const send = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) sent += 1;
          response.once('drain', send);
        };
        send();
      });

      const response = await call(`http://127.0.0.1:${port}/`);

      expect(response).toMatchObject({ status, isTruncated: true });
      expect(response.text).toHaveLength(64 * 1024);
      expect(sent).toBeLessThan(1_000);
    },
  );

  describe.each([
    ['is cut off', (response: ServerResponse) => void setTimeout(() => response.destroy(), 50), 10_000, /^http-(?!timed-out)/],
    ['stalls', () => undefined, 300, /^http-timed-out$/],
  ] as const)('when a response body %s', (_how, end, timeoutMs, reason) => {
    const answerWithPart = async (status: number) => {
      const port = await serve((_request, response) => {
        response.writeHead(status, { 'content-length': '100' }).write('part');
        end(response);
      });

      return call(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(timeoutMs) });
    };

    test.each([200, 201])('returns status %i and the part that arrived', async (status) => {
      const response = await answerWithPart(status);

      expect(response).toMatchObject({ status, text: 'part', isTruncated: true });
      expect(response.cut).toMatchObject({ result: 'retry', reason: expect.stringMatching(reason) });
    });

    test('throws a retryable error for any other status', async () => {
      await expect(answerWithPart(400)).rejects.toMatchObject({
        result: 'retry',
        reason: expect.stringMatching(reason),
      });
    });
  });

  test('reports the error’s code as the reason if there is no response', async () => {
    await expect(call('http://127.0.0.1:1/')).rejects.toMatchObject({ reason: 'http-ECONNREFUSED' });
    await expect(call('https://name.invalid/')).rejects.toMatchObject({ result: 'retry' });
  });
});

test('Retry-After may be a number of seconds or a date, and is capped at six hours', () => {
  const now = Date.parse('2025-11-03T09:00:00Z');
  const read = (value: string) => readRetryAfter(answerWith(429, { 'retry-after': value }), now);

  expect(read('7')).toBe(7_000);
  expect(read('1.5')).toBe(1_500);
  expect(read('Mon, 03 Nov 2025 09:01:00 GMT')).toBe(60_000);
  expect(read('Mon, 03 Nov 2025 08:00:00 GMT')).toBe(0);
  expect(read('99999999')).toBe(6 * 3_600_000);
  expect(read('soon')).toBeUndefined();
  expect(classifyResponse('crm', answerWith(429, { 'retry-after': '7' })).kindWaitsMs).toBe(7_000);
});
