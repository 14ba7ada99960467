import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { VFile } from 'vfile';
import { matter } from 'vfile-matter';
import { describeError, SiteError } from '../logging/describe-error.ts';

/** Lines above the YAML: `---`. */
const OPENING_LINES = 1;

const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** The front matter of a text is invalid; the message names file and fields. */
export class FrontMatterError extends SiteError {
  override readonly name = 'FrontMatterError';

  constructor(file: URL, problems: readonly string[], cause?: unknown) {
    super(
      `${relative(projectRoot, fileURLToPath(file))}: its front matter can't be used:\n` +
        problems.map((problem) => `  - ${problem}`).join('\n'),
      { cause },
    );
  }
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue) ?? 'the whole';
  // Valibot's messages for a missing and an unknown field of a strict object are the same.
  if (issue.type !== 'strict_object') return `${field} ${issue.message}`;

  return issue.expected === 'never' ? `${field} is not a known field` : `${field} is missing`;
}

/** Lines count from the top of the file, columns from 1. */
function describePlace(error: unknown): string {
  const { line, column } = describeError(error);

  return typeof line === 'number' ? ` (line ${line + OPENING_LINES}, column ${String(column)})` : '';
}

function parseMatter(file: URL, text: string): unknown {
  const parsed = new VFile(text);
  try {
    matter(parsed);
  } catch (cause) {
    throw new FrontMatterError(file, [`it is not valid YAML${describePlace(cause)}`], cause);
  }

  return parsed.data['matter'];
}

/**
 * Reads the YAML between the two `---` lines a Markdown file begins with.
 * @param schema what its fields have to be
 * @throws FrontMatterError when they aren't; the file system's error when there is no such file
 */
export async function readFrontMatter<Schema extends v.GenericSchema>(
  file: URL,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const found = v.safeParse(schema, parseMatter(file, await readFile(file, 'utf8')));
  if (!found.success) throw new FrontMatterError(file, found.issues.map(describeIssue));

  return found.output;
}
