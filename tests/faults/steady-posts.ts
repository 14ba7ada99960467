import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { makeContactBody } from '../support/contact-request.ts';
import { makeStrangersBody } from '../support/contact-request.ts';
import type { FaultFixture } from './fault-fixture.ts';

type ContactBody = ReturnType<typeof makeContactBody>;

/** What a visitor waits before the next try, in milliseconds. */
const PAUSE = 250;

/** Visitors who post one request after another until stopped. */
export interface SteadyPosts {
  /** Stops, and returns the requests that saw no success. */
  readonly stop: () => Promise<readonly ContactBody[]>;
}

/** @param getOrigin where the site is at that moment */
export function postSteadily(
  { submit }: FaultFixture,
  getOrigin: () => string,
  lanes = 4,
): SteadyPosts {
  const refused: ContactBody[] = [];
  let isStopped = false;
  const runLane = async () => {
    while (!isStopped) {
      const body = makeStrangersBody();
      const response = await submit(getOrigin(), body).catch(() => undefined);
      if (!response?.ok) refused.push(body);
      await wait(PAUSE);
    }
  };
  const ended = Promise.all(Array.from({ length: lanes }, runLane));

  return {
    stop: async () => {
      isStopped = true;
      await ended;

      return refused;
    },
  };
}

/** Visitors who saw no success send again, under the same key; now they see it. */
export async function sendAgain(
  { submit }: FaultFixture,
  origin: string,
  bodies: readonly ContactBody[],
): Promise<void> {
  for (const body of bodies) expect([200, 201]).toContain((await submit(origin, body)).status);
}
