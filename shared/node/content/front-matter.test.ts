import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { legalFrontMatterSchema } from '../../content/front-matter.ts';
import { FrontMatterError, readFrontMatter } from './front-matter.ts';

const description = 'Everything a reader has to know before agreeing to it. '.repeat(3).slice(0, 120);
const valid = { title: 'Terms', description, updatedOn: '"2026-11-21"' };

/** Reads a legal page that begins with these fields. */
async function readFields(fields: Readonly<Record<string, string>>) {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);

  return readText(['---', ...lines, '---', '', 'Text.', ''].join('\n'));
}

async function readText(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'test-front-matter-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'page.mdx');
  await writeFile(file, text);

  return readFrontMatter(pathToFileURL(file), legalFrontMatterSchema);
}

test('front matter that fits is read, its day with or without quotes', async () => {
  const expected = { title: 'Terms', description: expect.any(String), updatedOn: '2026-11-21' };

  expect(await readFields({ ...valid, description: `"${description}"` })).toEqual(expected);
  expect(
    await readFields({ ...valid, description: `"${description}"`, updatedOn: '2026-11-21' }),
  ).toEqual(expected);
});

test.each([
  ['a missing field', { title: 'Terms', updatedOn: '2026-11-21' }, 'description is missing'],
  ['an unknown field', { ...valid, author: 'Somebody' }, 'author is not a known field'],
  ['a description too short', { ...valid, description: 'Short.' }, 'description must have at least 110'],
  ['a number for a title', { ...valid, title: '5' }, 'title must be text'],
  ['a day that is none', { ...valid, updatedOn: '2026-02-30' }, 'updatedOn must be a day of the calendar'],
  ['a date in words', { ...valid, updatedOn: 'today' }, 'updatedOn must be a day like 2026-11-21'],
])('%s is refused, and the message names file and field', async (_what, fields, message) => {
  const failure = await readFields({
    ...fields,
    ...('description' in fields ? { description: `"${fields.description}"` } : {}),
  }).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(FrontMatterError);
  expect(String(failure)).toContain('page.mdx: ');
  expect(String(failure)).toContain(`  - ${message}`);
});

test('a text without front matter is refused with every field it lacks', async () => {
  const failure = await readText('# Terms\n').catch((error: unknown) => error);

  for (const field of ['title', 'description', 'updatedOn']) {
    expect(String(failure)).toContain(`  - ${field} is missing`);
  }
});

test('what is not YAML is refused', async () => {
  await expect(readText('---\ntitle: "open\n---\n')).rejects.toThrow(
    /it is not valid YAML \(line \d+, column \d+\)/,
  );
  await expect(readText('---\ntitle: Terms\n  description: x\n---\n')).rejects.toThrow(
    'it is not valid YAML (line 2, column 8)',
  );
});
