import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';

/** What is wrong in one of the owner's files. */
export interface Mistake {
  /** Path below the folder of the content. */
  readonly file: string;
  readonly line?: number | undefined;
  readonly message: string;
}

/** The line of a place in a text, counted from 1. */
export const findLine = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** One or more of the owner's files can't be used; the message has a line for each mistake. */
export class ContentError extends Error {
  override readonly name = 'ContentError';

  constructor(mistakes: readonly Mistake[]) {
    const inOrder = mistakes.toSorted((one, other) => one.file.localeCompare(other.file) || (one.line ?? 0) - (other.line ?? 0));
    super(inOrder.map(({ file, line, message }) => `content/${file}${line ? `:${line}` : ''}: ${message}`).join('\n'));
  }
}

/** The lines of what is still sample copy, by the files' paths. */
export type Samples = Record<string, readonly number[]>;

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue) ?? 'the file';
  // Valibot's messages for a missing and an unknown field of a strict object are the same.
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${field} is not a known field`;
  if (issue.input === undefined) return `${field} is missing`;

  return `${field} ${issue.message}`;
}

/** The node an issue is about: of a missing field, the map it is missing in. */
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

/** Removes every `sample: true`, which may stand with anything. @returns the nodes of what it stood with */
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
 * Reads and checks one YAML file of the owner's.
 * @param file path below `folder`
 * @param mistakes takes what is wrong in it
 * @param samples takes the lines of what is marked `sample: true`
 * @returns undefined where there is a mistake
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
  // Of a text only what stands between its first two lines of three hyphens.
  const isText = file.endsWith('.mdx');
  const yaml = isText ? (/^---(\r?\n.*?)^---\r?$/ms.exec(text)?.[1] ?? '') : text;
  const document = parseDocument(yaml, { lineCounter: lines });
  const locate = (node: Node | undefined) => (node?.range ? lines.linePos(node.range[0]).line : 1);
  const [error] = document.errors;
  if (error) {
    const [message = ''] = error.message.split(/ at line \d+/);
    mistakes.push({ file, line: error.linePos?.[0].line, message: `is not valid YAML: ${message}` });
    return undefined;
  }
  const sampleLines = takeSamples(document).map(locate);
  if (sampleLines.length > 0) samples[`content/${file}`] = sampleLines;
  const value: unknown = document.toJS();
  if (value === null) {
    mistakes.push({ file, message: isText ? 'has nothing between two lines of --- at its beginning' : 'is empty' });
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
