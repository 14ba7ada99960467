import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readFilesVersion, readImage } from '../../shared/node/monitoring/image.ts';
import { assessImage } from './check-image.ts';

const readWith = (content: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'test-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'image.json');
  writeFileSync(file, content);

  return readImage(file);
};

const image = '{"version":"1.2.0","revision":"unknown","created":"2026-10-01T09:30:00Z"}\n';

test.each([
  ['of today', '2026-10-01T10:00:00Z', 'ok', /^Version 1\.2\.0, built 2026-10-01, 0 days ago\.$/],
  ['of 45 days', '2026-11-15T09:30:00Z', 'ok', /45 days ago/],
  ['older than 45 days', '2026-11-15T09:30:01Z', 'warn', /45 days ago.*lacks the fixes.*monthly-refresh/],
])('the doctor says of an image %s how old it is', async (_what, now, state, detail) => {
  const outcome = assessImage(await readWith(image), Date.parse(now));

  expect(outcome).toEqual({ state, detail: expect.stringMatching(detail) });
});

test('an image that was built without a version has that of its files', async () => {
  expect(await readWith(image.replace('1.2.0', 'unknown'))).toMatchObject({ version: await readFilesVersion() });
});

test('a process outside of an image has no age, and a damaged description is an error', async () => {
  expect(assessImage(await readImage('/nowhere/image.json'), 0).state).toBe('info');
  await expect(readWith('{"version":"1.2.0","created":"yesterday"}')).rejects.toThrow();
});
