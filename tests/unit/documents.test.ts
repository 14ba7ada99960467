import { access, glob, readdir, readFile, stat } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { deliveryKinds } from '../../shared/deliveries/delivery.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');

async function listDocuments(): Promise<string[]> {
  const atRoot = await readdir(root);
  const below = await readdir(new URL('docs/', root), { recursive: true });

  return [...atRoot, ...below.map((path) => `docs/${path}`)].filter((path) => path.endsWith('.md'));
}

const documents = new Map(
  await Promise.all((await listDocuments()).map(async (path) => [path, await read(path)] as const)),
);

const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors that GitHub and GitLab give the headings of a document. */
function listAnchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('every relative link of a document', () => {
  const links = [...documents].flatMap(([path, text]) =>
    [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = '']) => ({
      path,
      link,
      target: new URL(link, new URL(path, root)),
    })),
  );

  it('leads to a file or folder', async () => {
    const checked = await Promise.all(
      links.map(async ({ path, link, target }) => ({
        where: `${path}: ${link}`,
        isThere: await access(target).then(() => true, () => false),
      })),
    );

    expect(checked.length).toBeGreaterThan(50);
    expect(checked.filter(({ isThere }) => !isThere)).toEqual([]);
  });

  it('names a heading of that file, if it names one', () => {
    const dead = links.filter(({ target }) => {
      const text = documents.get(target.pathname.slice(root.pathname.length));

      return target.hash !== '' && !listAnchors(text ?? '').includes(target.hash.slice(1));
    });

    expect(dead.map(({ path, link }) => `${path}: ${link}`)).toEqual([]);
  });

  it.each(['deploy/bundle.sh', 'deploy/release.sh'])('leads, from the pages of the operations, to what %s packs', async (script) => {
    const linked = links
      .filter(({ path }) => path.startsWith('docs/operations/'))
      .map(({ target }) => target.pathname.slice(root.pathname.length));
    const [, list = ''] = /^FILES=\(([^)]+)\)/m.exec(await read(script)) ?? [];
    const packed = list.trim().split(/\s+/);

    expect(linked.length).toBeGreaterThan(50);
    expect(linked.filter((path) => !packed.some((file) => path === file || path.startsWith(`${file}/`)))).toEqual([]);
    // What docs/operations/alerts.md sends its reader to.
    expect(packed).toContain('monitoring');
  });
});

describe('every file that a document names', () => {
  const folders = 'client|server|shared|jobs|ops|migrations|scripts|bench|tests|deploy|monitoring|docs';
  /** What a superseded decision names may be gone. */
  const current = [...documents].filter(([, text]) => !/^Status: superseded/m.test(text));
  const listNamed = (pattern: RegExp) =>
    current.flatMap(([path, text]) => [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name })));

  it('exists, if it is named by its path', async () => {
    const named = listNamed(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'));
    const checked = await Promise.all(
      named.map(async ({ path, name }) => ({
        where: `${path}: ${name}`,
        isThere: await access(new URL(name, root)).then(() => true, () => false),
      })),
    );

    expect(checked.filter(({ isThere }) => !isThere)).toEqual([]);
  });

  it('exists, if it is a test', async () => {
    const tests = new Set<string>();
    for await (const file of glob('{client,server,shared,jobs,ops,scripts,tests}/**/*.test.{ts,tsx}', { cwd: root })) {
      tests.add(file.split('/').at(-1) ?? '');
    }
    const named = listNamed(/`(?:[\w/-]*\/)?([\w-]+\.test\.tsx?)`/g);

    expect(named.filter(({ name }) => !tests.has(name))).toEqual([]);
  });
});

describe('every decision record', () => {
  const index = 'docs/decisions/README.md';
  const records = [...documents].filter(([path]) => /^docs\/decisions\/(?!000-)/.test(path) && path !== index);

  it('has a number of its own, a date and a status', () => {
    const numbers = records.map(([path]) => /\/(\d{3})-[a-z0-9-]+\.md$/.exec(path)?.[1] ?? path);
    const head = /^# (\d{3}): \S.*\n\nDate: 20\d\d-[01]\d-[0-3]\d\nStatus: (?:accepted|superseded by \[\d{3}\]\(\S+\))\n\n/;

    expect(new Set(numbers).size).toBe(numbers.length);
    expect(records.map(([, text]) => head.exec(text)?.[1])).toEqual(numbers);
  });

  it('is in the index, with its title and status', () => {
    const listed = [...(documents.get(index) ?? '').matchAll(/^\| \[\d{3}\].*$/gm)].map(([row]) => row);
    const expected = records.map(([path, text]) => {
      const [, number, title] = /^# (\d{3}): (.*)$/m.exec(text) ?? [];
      const [, status] = /^Status: (.*)$/m.exec(text) ?? [];

      return `| [${number}](${path.split('/').at(-1)}) | ${title} | ${status} |`;
    });

    expect(listed).toEqual(expected.sort());
  });

  it('that is superseded is named by the record that supersedes it', () => {
    const unnamed = records.filter(([path, text]) => {
      const successor = /^Status: superseded by .*\((\S+)\)$/m.exec(text)?.[1];
      const file = path.split('/').at(-1) ?? '';

      return successor !== undefined && documents.get(`docs/decisions/${successor}`)?.includes(`(${file})`) !== true;
    });

    expect(unnamed.map(([path]) => path)).toEqual([]);
  });
});

test('README opens with two pictures, which have an alternative text and 200 kB at most', async () => {
  const [opening = ''] = (documents.get('README.md') ?? '').split('\n## ');
  const pictures = [...opening.matchAll(/<img src="(docs\/pictures\/[\w-]+\.webp)" alt="([^"]{40,})"/g)];
  const sizes = await Promise.all(pictures.map(([, file = '']) => stat(new URL(file, root))));

  expect(pictures.map(([, file]) => file)).toEqual(['docs/pictures/home-page.webp', 'docs/pictures/mail-to-sales.webp']);
  expect(Math.min(...sizes.map(({ size }) => size))).toBeGreaterThan(10_000);
  expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(200_000);
});

test('README leads to the pages that a newcomer and an operator need', () => {
  for (const link of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/operations', '.env.example', 'docs/glossary.md']) {
    expect(documents.get('README.md')).toContain(`(${link}`);
  }
});

test('the table of states in the code is the one of the documents, which name every kind', async () => {
  const page = documents.get('ARCHITECTURE.md') ?? '';
  const [comment = ''] = (await read('shared/node/deliveries/delivery-table.ts')).split('*/');
  const table = [...comment.matchAll(/^ \* (\|.*)$/gm)].map(([, row]) => row).join('\n');

  expect(table).not.toBe('');
  expect(page).toContain(table);
  for (const kind of deliveryKinds) expect(page).toContain(`\`${kind}\``);
});
