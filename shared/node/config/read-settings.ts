import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { getErrorCode } from '../error-code.ts';
import { ownPrefixes, settings, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Output<Name extends SettingName> = v.InferOutput<(typeof settings)[Name]['schema']>;

/** Values by name; what has no fallback may be undefined. */
export type SettingValues = {
  [Name in SettingName]: (typeof settings)[Name] extends { fallback: string }
    ? Output<Name>
    : Output<Name> | undefined;
};

const isGiven = (value: string | undefined): value is string => value !== undefined && value !== '';

/** The text of a setting from NAME or, for a secret, NAME_FILE; trailing newlines are dropped. */
function readText(name: SettingName, environment: Environment, faults: string[]) {
  const setting = settings[name];
  const fallback = 'fallback' in setting ? setting.fallback : undefined;
  const isSecret = 'isSecret' in setting;
  const direct = environment[name];
  const file = environment[`${name}_FILE`];

  if (!isSecret || !isGiven(file)) return isGiven(direct) ? direct : fallback;
  if (isGiven(direct)) faults.push(`${name} and ${name}_FILE are both set; keep one`);

  try {
    const content = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
    if (content === '') faults.push(`${name}_FILE names an empty file`);

    return content === '' ? fallback : content;
  } catch (error) {
    faults.push(`${name}_FILE can't be read (${getErrorCode(error) ?? 'unknown'})`);

    return fallback;
  }
}

function listMisspelt(environment: Environment): string[] {
  const known = new Set<string>();
  for (const [name, setting] of Object.entries(settings)) {
    known.add(name);
    if ('isSecret' in setting) known.add(`${name}_FILE`);
  }

  return Object.keys(environment)
    .filter((name) => ownPrefixes.some((prefix) => name.startsWith(prefix)) && !known.has(name))
    .map((name) => `${name} is not a setting; check its spelling`);
}

/** Reads every setting; `faults` gets one sentence per wrong, unreadable or misspelt one. */
export function readSettings(environment: Environment, faults: string[]): SettingValues {
  const values = Object.keys(settings).map((key) => {
    const name = key as SettingName;
    const text = readText(name, environment, faults);
    if (text === undefined) return [name, undefined] as const;

    const result = v.safeParse(settings[name].schema, text);
    if (!result.success) faults.push(`${name} ${result.issues[0].message}`);

    return [name, result.success ? result.output : undefined] as const;
  });

  faults.push(...listMisspelt(environment));

  return Object.fromEntries(values) as SettingValues;
}
