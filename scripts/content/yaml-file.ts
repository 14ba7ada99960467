import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';

/** A mistake in one of the owner's files. */
export interface Mistake {
  /** Path below the content folder. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly message: string;
}

/** Returns the line number of a position in a text. The first line is 1. */
export const findLine = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Thrown if the owner's files have mistakes. The message has one line per mistake. */
export class ContentError extends Error {
  override readonly name = 'ContentError';

  constructor(mistakes: readonly Mistake[]) {
    const inOrder = mistakes.toSorted((one, other) => one.file.localeCompare(other.file) || (one.line ?? 0) - (other.line ?? 0));
    super(inOrder.map(({ file, line, message }) => `content/${file}${line ? `:${line}` : ''}: ${message}`).join('\n'));
  }
}

/** Line numbers of sample copy by file. */
export type Samples = Record<string, readonly number[]>;

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue) ?? 'the file';
  // For strict objects, Valibot reports missing and unknown fields with the same message.
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${field} is not a known field`;
  if (issue.input === undefined) return `${field} is missing`;

  return `${field} ${issue.message}`;
}

/** Returns the node that an issue refers to, or the enclosing map if a field is missing. */
function findNode(document: Document, path: readonly unknown[]): Node | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const key = isMap(parent)
      ? parent.items.find((pair) => isPair(pair) && isNode(pair.key) && String(pair.key) === path[length - 1])?.key
      : undefined;
    const node = key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node;
  }

  return undefined;
}

/** Removes `sample: true` from every map and returns the maps that had it. */
function takeSamples(document: Document): Node[] {
  const samples: Node[] = [];
  visit(document, {
    Pair: (_key, { key, value }, path) => {
      if (!isScalar(key) || key.value !== 'sample' || !isScalar(value) || value.value !== true) return undefined;
      const owner = path.at(-1);
      if (isNode(owner)) samples.push(owner);

      return visit.REMOVE;
    },
  });

  return samples;
}

/**
 * Reads and checks a YAML file, or the front matter of a text. Returns undefined if it has mistakes.
 * @param file path below `folder`
 * @param mistakes receives the mistakes
 * @param samples receives the lines marked `sample: true`
 */
export async function readYamlFile<Schema extends v.GenericSchema>(
  folder: string,
  file: string,
  schema: Schema,
  mistakes: Mistake[],
  samples: Samples,
): Promise<v.InferOutput<Schema> | undefined> {
  if (!existsSync(join(folder, file))) {
    mistakes.push({ file, message: 'is missing' });
    return undefined;
  }
  const bytes = await readFile(join(folder, file));
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.includes('\0') || text.includes('\uFFFD')) {
    mistakes.push({ file, message: 'is not a text file in UTF-8' });
    return undefined;
  }
  const lines = new LineCounter();
  const isText = file.endsWith('.mdx');
  const yaml = isText ? (/^---(\r?\n.*?)^---\r?$/ms.exec(text)?.[1] ?? '') : text;
  const document = parseDocument(yaml, { lineCounter: lines });
  const locate = (node: Node | undefined) => (node?.range ? lines.linePos(node.range[0]).line : 1);
  const [error] = document.errors;
  if (error) {
    const [message = ''] = error.message.split(/ at line \d+/);
    const advice = error.code === 'BLOCK_AS_IMPLICIT_KEY' ? 'a text that contains ": " must be in quotes' : message;
    mistakes.push({ file, line: error.linePos?.[0].line, message: `is not valid YAML: ${advice}` });
    return undefined;
  }
  const sampleLines = takeSamples(document).map(locate);
  if (sampleLines.length > 0) samples[`content/${file}`] = sampleLines;
  const value: unknown = document.toJS();
  if (value === null) {
    mistakes.push({ file, message: isText ? 'must begin with front matter between two lines of ---' : 'is empty' });
    return undefined;
  }
  const found = v.safeParse(schema, value);
  if (found.success) return found.output;
  for (const issue of found.issues) {
    const path = issue.path?.map(({ key }) => key) ?? [];
    mistakes.push({ file, line: locate(findNode(document, path)), message: describeIssue(issue) });
  }

  return undefined;
}
