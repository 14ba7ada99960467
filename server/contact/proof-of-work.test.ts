import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/sha';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { WorkProof } from '../../shared/contact/contact-request.ts';
import { Minute } from '../../shared/time.ts';
import { createProofOfWork } from './proof-of-work.ts';

const secret = 'a secret of thirty-two characters';
const proofOfWork = createProofOfWork([secret]);

async function prove(by = proofOfWork): Promise<WorkProof> {
  const challenge = (await by.makeChallenge()) as WorkProof['challenge'];
  const solution = await solveChallenge({ challenge, deriveKey });
  if (!solution) throw new Error('not solved');

  return { challenge, solution };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a proof of work', () => {
  test('is valid for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const proof = await prove();

    const expiresAt = new Date(proof.challenge.parameters.expiresAt * 1_000);
    expect(await proofOfWork.check(proof)).toEqual({
      challenge: proof.challenge.signature,
      expiresAt,
    });
    vi.setSystemTime(Date.now() + 9 * Minute);
    expect(await proofOfWork.check(proof)).toBeDefined();
    vi.setSystemTime(Date.now() + 2 * Minute);
    expect(await proofOfWork.check(proof)).toBeUndefined();
  });

  test('costs between 500 and 1,500 attempts', async () => {
    const { solution } = await prove();

    expect(solution.counter).toBeGreaterThanOrEqual(500);
    expect(solution.counter).toBeLessThanOrEqual(1_500);
  });

  test('outlives a new secret while the old one stays in the list', async () => {
    const proof = await prove();
    const other = 'b'.repeat(32);

    expect(await createProofOfWork([other, secret]).check(proof)).toBeDefined();
    expect(await createProofOfWork([other]).check(proof)).toBeUndefined();
  });

  test('proves nothing with other parameters, another solution, or a signature of one’s own', async () => {
    const { challenge, solution } = await prove();
    const { parameters } = challenge;
    const later = { ...parameters, expiresAt: parameters.expiresAt + 3_600 };
    const easier = { ...parameters, keyPrefix: solution.derivedKey.slice(0, 1) };
    const own = await prove(createProofOfWork(['c'.repeat(32)]));

    for (const forged of [
      { challenge: { ...challenge, parameters: later }, solution },
      { challenge: { ...challenge, parameters: easier }, solution },
      { challenge: { ...challenge, signature: challenge.signature.toUpperCase() }, solution },
      { challenge: { ...challenge, signature: '' }, solution },
      { challenge, solution: { ...solution, counter: solution.counter + 1 } },
      { challenge, solution: { ...solution, derivedKey: '0'.repeat(64) } },
      { challenge, solution: { counter: -1.5, derivedKey: 'no hex' } },
      own,
    ]) {
      expect(await proofOfWork.check(forged)).toBeUndefined();
    }
  });
});
