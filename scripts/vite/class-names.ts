import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { projectRoot } from '../processes.ts';

/** From this number on, 936 numbers have two characters in base 36 and begin with a letter. */
const FIRST_NUMBER = 360;

/** Classes of each CSS module, and its number, which is the same in the client build and the server build. */
const files = new Map(
  globSync('client/**/*.module.css', { cwd: projectRoot })
    .sort()
    .map((path, index) => [path, { number: (FIRST_NUMBER + index).toString(36), classes: new Array<string>() }] as const),
);

/**
 * Returns a class name: the number of its file and its number in that file. Documents contain many class names, and
 * hashes hardly compress.
 * @param file absolute path of a CSS module
 */
export function nameClass(name: string, file: string): string {
  const known = files.get(relative(projectRoot, file));
  if (!known) throw new Error(`${file} is not a CSS module of the site.`);
  const { number, classes } = known;
  if (!classes.includes(name)) classes.push(name);

  return `${number}${classes.indexOf(name).toString(36)}`;
}
