import { request, Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { apiPaths } from '../../shared/paths.ts';
import { makeClient, makeContactBody } from './contact-request.ts';
import type { LoadPlan, SentRequest } from './send-load.ts';

/*
 * A process of its own, so that what it measures isn't its test's work. It is an open loop: request
 * number n leaves at its time whatever became of those before it, as visitors do, and is measured
 * from that time. A closed loop, which sends the next when the last is answered, would slow down with
 * the server and never see the queue that a slow moment leaves behind.
 */

const plan = JSON.parse(process.env['LOAD_PLAN'] ?? '{}') as LoadPlan;
const agent = new Agent({ keepAlive: true });

/** The status of the response; 0 when the connection ended without one. */
function send(path: string, body?: string): Promise<number> {
  return new Promise((resolve) => {
    const call = request(
      plan.origin + path,
      body === undefined
        ? { agent }
        : {
            agent,
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-forwarded-for': makeClient() },
          },
      (response) => {
        response.resume();
        response.once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
      },
    );
    call.once('error', () => resolve(0));
    call.end(body);
  });
}

const isSuccess = (status: number) => status === 200 || status === 201;

/** Sends, and again with the same key while the site can't store it. */
async function sendUntilTaken(body: string): Promise<number[]> {
  const statuses: number[] = [];
  for (;;) {
    statuses.push(await send(apiPaths.contactSubmissions, body));
    const last = statuses.at(-1) ?? 0;
    if (isSuccess(last) || (last >= 400 && last < 500) || statuses.length >= 60) return statuses;
    await wait(500);
  }
}

async function sendAt(dueAt: number, number: number, bodies: string[]): Promise<SentRequest> {
  const { paths, repeatEvery } = plan;
  const path = paths?.[number % paths.length];
  const isRepeat = repeatEvery !== undefined && number % repeatEvery === repeatEvery - 1;
  const body = isRepeat ? bodies.at(-1) : JSON.stringify(makeContactBody());
  if (path === undefined && body !== undefined && !isRepeat) bodies.push(body);
  const statuses =
    path === undefined && body !== undefined ? await sendUntilTaken(body) : [await send(path ?? '/')];
  const id = path ?? (JSON.parse(body ?? '{}') as { id: string }).id;

  return { id, statuses, waitedMs: performance.now() - dueAt };
}

const sending: Array<Promise<SentRequest>> = [];
const bodies: string[] = [];
const startedAt = performance.now();
for (let number = 0; number < plan.perSecond * plan.seconds; number += 1) {
  const dueAt = startedAt + (number * 1_000) / plan.perSecond;
  const early = dueAt - performance.now();
  if (early > 1) await wait(early);
  sending.push(sendAt(dueAt, number, bodies));
}
process.stdout.write(JSON.stringify(await Promise.all(sending)));
agent.destroy();
