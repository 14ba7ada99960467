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

/** Returns the names that the pattern captures in any document. */
const listNamed = (pattern: RegExp) =>
  [...documents].flatMap(([path, text]) => [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name })));

const exists = (url: URL) => access(url).then(() => true, () => false);

const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');

/** Returns the anchors that GitHub and GitLab create for a document's headings. */
function listAnchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('every relative link', () => {
  const links = [...documents].flatMap(([path, text]) =>
    [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = '']) => ({
      path,
      link,
      target: new URL(link, new URL(path, root)),
    })),
  );

  it('in a document points to a file or folder', async () => {
    const checked = await Promise.all(
      links.map(async ({ path, link, target }) => ({
        where: `${path}: ${link}`,
        isFound: await exists(target),
      })),
    );

    expect(checked.length).toBeGreaterThan(50);
    expect(checked.filter(({ isFound }) => !isFound)).toEqual([]);
  });

  it('with an anchor points to a heading', () => {
    const dead = links.filter(({ target }) => {
      const text = documents.get(target.pathname.slice(root.pathname.length));

      return target.hash !== '' && !listAnchors(text ?? '').includes(target.hash.slice(1));
    });

    expect(dead.map(({ path, link }) => `${path}: ${link}`)).toEqual([]);
  });

  it.each(['deploy/bundle.sh', 'deploy/release.sh'])('in the operations guide points to a file that %s packs', async (script) => {
    const linked = links
      .filter(({ path }) => path.startsWith('docs/operations/'))
      .map(({ target }) => target.pathname.slice(root.pathname.length));
    const [, list = ''] = /^FILES=\(([^)]+)\)/m.exec(await read(script)) ?? [];
    const packed = list.trim().split(/\s+/);

    expect(linked.length).toBeGreaterThan(50);
    expect(linked.filter((path) => !packed.some((file) => path === file || path.startsWith(`${file}/`)))).toEqual([]);
    // docs/operations/alerts.md refers to this folder.
    expect(packed).toContain('monitoring');
  });
});

test('every file and test named in a document exists', async () => {
  const folders = 'client|server|shared|jobs|ops|migrations|scripts|bench|tests|deploy|monitoring|docs';
  const tests = new Set<string>();
  for await (const file of glob('{client,server,shared,jobs,ops,scripts,tests}/**/*.test.{ts,tsx}', { cwd: root })) {
    tests.add(file.split('/').at(-1) ?? '');
  }
  const checked = await Promise.all(
    listNamed(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g')).map(async (named) => ({
      ...named,
      isFound: await exists(new URL(named.name, root)),
    })),
  );

  expect(checked.filter(({ isFound }) => !isFound)).toEqual([]);
  expect(listNamed(/`(?:[\w/-]*\/)?([\w-]+\.test\.tsx?)`/g).filter(({ name }) => !tests.has(name))).toEqual([]);
});

test('every npm script and fault row named in a document exists', async () => {
  const { scripts } = JSON.parse(await read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const faults: string[] = [];
  for await (const file of glob('tests/faults/*.test.ts', { cwd: root })) faults.push(await read(file));

  expect(listNamed(/\bnpm run ([a-z:-]+)/g).filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
  expect(listNamed(/--row (\d+)/g).filter(({ name }) => !faults.join('\n').includes(`faultRow(${name}, `))).toEqual([]);
});
