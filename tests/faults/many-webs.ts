import { startWeb } from '../support/delivery-fixture.ts';
import type { Environment, WebProcess } from '../support/site-process.ts';

/** Three webs behind no proxy: a request's number decides which it goes to. */
export interface ManyWebs {
  readonly all: readonly WebProcess[];
  /** Of the web that a round robin would choose for the request with this number. */
  readonly pick: (number: number) => string;
}

/** Starts them with the same settings and waits until each responds; the test's end stops them. */
export async function startWebs(settings: Environment): Promise<ManyWebs> {
  const all = await Promise.all([1, 2, 3].map(() => startWeb(settings)));

  return { all, pick: (number) => all[number % all.length]?.origin ?? '' };
}
