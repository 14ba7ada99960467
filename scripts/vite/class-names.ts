import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { projectRoot } from '../processes.ts';

/** In base 36 this many and up to 935 more are a letter and a letter or digit. */
const FIRST_NUMBER = 360;

/** Every module of styles: a file has one number in the browser's build and in the server's. */
const files = globSync('client/**/*.module.css', { cwd: projectRoot }).sort();

/** Of each file, in the order in which they are first named. */
const classes = new Map(files.map((file): [string, string[]] => [file, []]));

/**
 * Names a class by the number of its file and its own in that file. Documents are full of them, and the digits of a
 * hash are what no compression makes shorter.
 * @param file absolute path of a module of styles
 */
export function nameClass(name: string, file: string): string {
  const path = relative(projectRoot, file);
  const known = classes.get(path);
  if (!known) throw new Error(`${file} is none of the site's modules of styles.`);
  if (!known.includes(name)) known.push(name);
  const number = FIRST_NUMBER + files.indexOf(path);

  return `${number.toString(36)}${known.indexOf(name).toString(36)}`;
}
