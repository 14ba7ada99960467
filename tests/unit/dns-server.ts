import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import { onTestFinished } from 'vitest';

/** Records by name and type. For example, `'example.net MX'` has lists such as `['10 mx.example.net']`. */
export type Zone = Readonly<Record<string, readonly string[]>>;

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 2: 'NS', 15: 'MX', 16: 'TXT', 28: 'AAAA' };
const HEADER_BYTES = 12;

const writeName = (name: string) =>
  Buffer.concat([...name.split('.').filter((label) => label !== '').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)), Buffer.from([0])]);

function readName(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }

  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function writeData(type: string, value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number));
  if (type === 'TXT') {
    const strings = value.match(/.{1,255}/gs) ?? [];

    return Buffer.concat(strings.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]));
  }
  if (type === 'NS') return writeName(value);
  const [preference = '0', exchange = ''] = value.split(' ');

  return Buffer.concat([Buffer.from([0, Number(preference)]), writeName(exchange)]);
}

function writeAnswer(type: number, value: string): Buffer {
  const data = writeData(TYPES[type] ?? '', value);
  const head = Buffer.alloc(12);
  // The name of the question.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);

  return Buffer.concat([head, data]);
}

function respond(message: Buffer, zone: Zone): Buffer {
  const { name, end } = readName(message);
  const type = message.readUInt16BE(end);
  const answers = zone[`${name} ${TYPES[type] ?? ''}`] ?? [];
  const header = Buffer.from(message.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt32BE(0, 8);

  return Buffer.concat([header, message.subarray(HEADER_BYTES, end + 4), ...answers.map((value) => writeAnswer(type, value))]);
}

/** A resolver that asks the test's own DNS server until the test ends. */
export async function serveDns(zone: Zone): Promise<Resolver> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (message, { port, address }) => socket.send(respond(message, zone), port, address));
  onTestFinished(() => void socket.close());
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);

  return resolver;
}

/** A resolver whose DNS server doesn't respond. */
export function makeDeafResolver(): Resolver {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers(['127.0.0.1:1']);

  return resolver;
}
