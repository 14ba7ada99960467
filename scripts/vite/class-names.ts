import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { projectRoot } from '../processes.ts';

/** First of the 936 numbers that have two characters in base 36 and begin with a letter. */
const FIRST_NUMBER = 360;

/** Number and classes of each CSS module, by path. The client build and the server build use the same numbers. */
const files = new Map(
  globSync('client/**/*.module.css', { cwd: projectRoot })
    .sort()
    .map((path, index) => [path, { number: (FIRST_NUMBER + index).toString(36), classes: new Array<string>() }] as const),
);

/**
 * Returns a short class name: the file's number and the class's number in the file. Documents contain many class names,
 * and hashes barely compress.
 * @param file absolute path of a CSS module
 */
export function nameClass(name: string, file: string): string {
  const known = files.get(relative(projectRoot, file));
  if (!known) throw new Error(`${file} is not a CSS module of the site.`);
  const { number, classes } = known;
  if (!classes.includes(name)) classes.push(name);

  return `${number}${classes.indexOf(name).toString(36)}`;
}
