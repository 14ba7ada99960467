import { readdir, readFile } from 'node:fs/promises';
import { parseAllDocuments, parse } from 'yaml';
import type { Manifest } from './kubernetes-schema.ts';

const folder = new URL('../../deploy/kubernetes/', import.meta.url);
const readText = (path: string) => readFile(new URL(path, folder), 'utf8');

/** What is used of a kustomization; `labels`, `namespace` and `patches` change no kind. */
export interface Kustomization {
  readonly resources: readonly string[];
  readonly images: ReadonlyArray<{ readonly name: string; readonly newTag: string }>;
  readonly configMapGenerator: ReadonlyArray<{
    readonly name: string;
    readonly envs?: readonly string[];
    readonly literals?: readonly string[];
  }>;
}

/** The content of a kustomization; it isn't checked against a schema. */
export async function readKustomization(name: 'base' | 'example'): Promise<Kustomization> {
  return parse(await readText(`${name}/kustomization.yaml`)) as Kustomization;
}

/** The documents of a file. @throws when it isn't YAML, or has a key twice */
export async function readManifests(path: string): Promise<Manifest[]> {
  return parseAllDocuments(await readText(path)).map((document) => {
    const [error] = document.errors;
    if (error) throw error;

    return document.toJS() as Manifest;
  });
}

/** Lines NAME=value of an environment file. */
export async function readEnvironmentFile(path: string): Promise<string[]> {
  return (await readText(path)).split('\n').filter((line) => /^[A-Z]/.test(line));
}

/** Paths of all YAML files, from the folder of manifests. */
export async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });

  return entries.filter((entry) => entry.endsWith('.yaml')).sort();
}
