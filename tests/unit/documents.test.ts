import { access, glob, readdir, readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';

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

test('every file and every test that a document names exists', async () => {
  const folders = 'client|server|shared|jobs|ops|migrations|scripts|bench|tests|deploy|monitoring|docs';
  /** A superseded decision may name files that no longer exist. */
  const current = [...documents].filter(([, text]) => !/^Status: superseded/m.test(text));
  const listNamed = (pattern: RegExp) =>
    current.flatMap(([path, text]) => [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name })));
  const tests = new Set<string>();
  for await (const file of glob('{client,server,shared,jobs,ops,scripts,tests}/**/*.test.{ts,tsx}', { cwd: root })) {
    tests.add(file.split('/').at(-1) ?? '');
  }
  const checked = await Promise.all(
    listNamed(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g')).map(async (named) => ({
      ...named,
      isThere: await access(new URL(named.name, root)).then(() => true, () => false),
    })),
  );

  expect(checked.filter(({ isThere }) => !isThere)).toEqual([]);
  expect(listNamed(/`(?:[\w/-]*\/)?([\w-]+\.test\.tsx?)`/g).filter(({ name }) => !tests.has(name))).toEqual([]);
});

test('every npm script and fault row named in a document exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const faults: string[] = [];
  for await (const file of glob('tests/faults/*.test.ts', { cwd: root })) faults.push(await read(file));
  const all = [...documents.values()].join('\n');
  const listNamed = (pattern: RegExp) => [...all.matchAll(pattern)].map(([, name = '']) => name);

  expect(listNamed(/\bnpm run ([a-z:-]+)/g).filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  expect(listNamed(/--row (\d+)/g).filter((row) => !faults.join('\n').includes(`faultRow(${row}, `))).toEqual([]);
});
