import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { makeStrangersBody } from '../support/contact-request.ts';
import type { FaultFixture } from './fault-fixture.ts';

type ContactBody = ReturnType<typeof makeStrangersBody>;

/** How long a visitor pauses between two posts, in milliseconds. */
const PAUSE = 250;
const VISITORS = 4;

/** Posts requests as several visitors, each of whom posts one after another. */
export function postSteadily({ submit }: FaultFixture, origin: string) {
  const refused: ContactBody[] = [];
  let isStopped = false;
  const runVisitor = async () => {
    while (!isStopped) {
      const body = makeStrangersBody();
      const response = await submit(origin, body).catch(() => undefined);
      if (!response?.ok) refused.push(body);
      await wait(PAUSE);
    }
  };
  const ended = Promise.all(Array.from({ length: VISITORS }, runVisitor));

  return {
    /** Stops the visitors and returns the requests that got no successful response. */
    stop: async (): Promise<readonly ContactBody[]> => {
      isStopped = true;
      await ended;

      return refused;
    },
  };
}

/** Repeats requests with the same ids, and expects success. */
export async function sendAgain(
  { submit }: FaultFixture,
  origin: string,
  bodies: readonly ContactBody[],
): Promise<void> {
  for (const body of bodies) expect([200, 201]).toContain((await submit(origin, body)).status);
}
