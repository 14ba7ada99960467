import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import mdx from '@mdx-js/rollup';
import remarkFrontmatter from 'remark-frontmatter';
import { listFiles } from './site-paths.ts';
import { findLine, type Mistake } from './yaml-file.ts';

/** In Markdown, in JSX, and in YAML the field `to`. */
const LINK = /(?<!!\[[^\]]*)\]\(([^)\s]*)|\bhref=["']([^"']*)|\bto:\s*["']?(\/[^\s"',}]*)/g;

const PICTURE = /!\[([^\]]*)\]\(([^)\s]*)/g;

const ELEMENT_WITHOUT_TEXT = /<img\b(?![^>]*\balt=(?:"[^"]|'[^']|\{))/g;

const ELSEWHERE = /^(?:https?:|mailto:|tel:|#)/;

type Exists = (path: string) => boolean;

function* findMistakes(text: string, exists: Exists): Generator<{ readonly index: number; readonly message: string }> {
  for (const { index, 1: markdown, 2: element, 3: field } of text.matchAll(LINK)) {
    const target = markdown ?? element ?? field ?? '';
    if (ELSEWHERE.test(target)) continue;
    if (!target.startsWith('/')) yield { index, message: `the link "${target}" must begin with / or https://` };
    else if (!exists(target.replace(/[?#].*/, ''))) yield { index, message: `there is no page ${target}` };
  }
  for (const { index, 1: alternative = '', 2: source = '' } of text.matchAll(PICTURE)) {
    if (alternative.trim() === '') yield { index, message: `the picture ${source} has no alternative text` };
    if (!source.startsWith('/') || !exists(source)) yield { index, message: `there is no picture ${source} in content/static` };
  }
  for (const { index } of text.matchAll(ELEMENT_WITHOUT_TEXT)) yield { index, message: 'the picture has no alternative text' };
}

const { transform } = mdx({ remarkPlugins: [remarkFrontmatter] });

/** The first error of Markdown with components, such as a tag that isn't closed. */
async function findSyntaxError(file: string, text: string): Promise<Mistake[]> {
  try {
    await transform(text, file);

    return [];
  } catch (error) {
    if (!(error instanceof Error && 'reason' in error && 'line' in error)) throw error;
    const reason = String(error.reason);
    // Of a tag without its counterpart the sentence alone says where it is.
    const line = Number(error.line ?? /\((\d+):\d+/.exec(reason)?.[1] ?? 1);

    return [{ file, line, message: `is not valid MDX: ${reason}` }];
  }
}

/**
 * Finds dead links, pictures without an alternative text, and broken Markdown in the owner's texts.
 * @param exists whether the site responds at a path of its own
 */
export async function checkTexts(folder: string, exists: Exists): Promise<Mistake[]> {
  const mistakes = listFiles(folder)
    .filter((file) => /\.(?:mdx|yaml)$/.test(file) && !file.startsWith('static/'))
    .map(async (file): Promise<Mistake[]> => {
      const text = await readFile(join(folder, file), 'utf8');
      const found = [...findMistakes(text, exists)].map(({ index, message }) => ({
        ...{ file, message },
        line: findLine(text, index),
      }));

      return file.endsWith('.mdx') ? [...found, ...(await findSyntaxError(file, text))] : found;
    });

  return (await Promise.all(mistakes)).flat();
}
