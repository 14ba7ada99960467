import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { getErrorCode } from '../logging/describe-error.ts';
import { listMisspelled } from './known-names.ts';
import { settings, type Environment, type SettingName, type SettingValues } from './settings.ts';

const settingNames = Object.keys(settings) as SettingName[];

interface Sources {
  readonly environment: Environment;
  readonly secretFiles: readonly string[];
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

/** Returns a file's content without trailing newlines. Adds an error if it is empty or unreadable. */
function readSecretFile(path: string, source: string, errors: string[]): string | undefined {
  try {
    const content = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    if (content !== '') return content;
    errors.push(`${source} is an empty file`);
  } catch (error) {
    errors.push(`${source} can't be read (${getErrorCode(error) ?? 'unknown'})`);
  }

  return undefined;
}

function listSecretFiles({ SECRETS_DIR }: Environment, errors: string[]): readonly string[] {
  if (!isSet(SECRETS_DIR)) return [];

  try {
    return readdirSync(SECRETS_DIR).filter((name) => !name.startsWith('.'));
  } catch (error) {
    errors.push(`SECRETS_DIR can't be read (${getErrorCode(error) ?? 'unknown'})`);

    return [];
  }
}

/** Returns a secret from its variable, the file that NAME_FILE names, or SECRETS_DIR/NAME. */
function readSecret(
  name: SettingName,
  { environment, secretFiles }: Sources,
  errors: string[],
): string | undefined {
  const path = join(environment['SECRETS_DIR'] ?? '', name);
  const places: ReadonlyArray<readonly [place: string, value: string | undefined]> = [
    [name, environment[name]],
    [`${name}_FILE`, environment[`${name}_FILE`]],
    [`SECRETS_DIR/${name}`, secretFiles.includes(name) ? path : undefined],
  ];
  const [first, second] = places.filter(([, value]) => isSet(value));
  if (!first) return undefined;
  const [place, value = ''] = first;
  if (second) errors.push(`${place} and ${second[0]} are both set; keep one`);

  return place === name ? value : readSecretFile(value, place, errors);
}

function readText(name: SettingName, sources: Sources, errors: string[]): string | undefined {
  const setting = settings[name];
  if ('isSecret' in setting) return readSecret(name, sources, errors);
  const direct = sources.environment[name];
  const fallback = 'fallback' in setting ? setting.fallback : undefined;

  return isSet(direct) ? direct : fallback;
}

const findSources = (environment: Environment, errors: string[]): Sources => ({
  environment,
  secretFiles: listSecretFiles(environment, errors),
});

/** Reads every setting. Adds a sentence to `errors` for each wrong, unreadable or misspelled one. */
export function readSettings(environment: Environment, errors: string[]): SettingValues {
  const sources = findSources(environment, errors);
  const values = settingNames.map((name) => {
    const text = readText(name, sources, errors);
    if (text === undefined) return [name, undefined] as const;

    const result = v.safeParse(settings[name].schema, text);
    if (!result.success) errors.push(`${name} ${result.issues[0].message}`);

    return [name, result.success ? result.output : undefined] as const;
  });

  errors.push(...listMisspelled([...Object.keys(environment), ...sources.secretFiles]));

  return Object.fromEntries(values) as SettingValues;
}

export const webSecretNames: ReadonlySet<string> = new Set(
  settingNames.filter((name) => 'isForWeb' in settings[name]),
);

export const operatorSecretNames: ReadonlySet<string> = new Set(
  settingNames.filter((name) => 'isForOperator' in settings[name]),
);

/** Returns the text of each secret that is set, by name. */
export function readSecrets(environment: Environment, errors: string[]): ReadonlyMap<string, string> {
  const sources = findSources(environment, errors);
  const given = settingNames
    .filter((name) => 'isSecret' in settings[name])
    .map((name) => [name, readText(name, sources, errors)] as const);

  return new Map(given.filter((entry): entry is [SettingName, string] => entry[1] !== undefined));
}
