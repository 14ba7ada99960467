import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A TCP proxy in front of a real server that imitates network faults. */
export interface FaultProxy {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Ends the fault. Connections that were open during a black hole remain unusable. */
  pass(): void;
  /** Closes all connections and refuses new ones. */
  refuse(): void;
  /** Keeps all connections open and accepts new ones, but forwards neither data nor the end of a connection. */
  blackhole(): void;
  /** Delays the data that clients send. */
  delay(ms: number): void;
  /**
   * Forwards the first data that contains `text`, and closes the connection instead of forwarding the response.
   * @returns a function that returns whether this has happened
   */
  cutResponseTo(text: string): () => boolean;
  close(): Promise<void>;
}

type Fault =
  | { readonly kind: 'none' | 'refuse' | 'blackhole' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'cut-response'; readonly text: string; wasCut: boolean };

/** A client's connection to the proxy, and the proxy's connection to the server. */
class Line {
  private readonly client: Socket;
  private readonly server: Socket;
  private isLost = false;
  private cutsResponse = false;
  private arriving: Promise<void> = Promise.resolve();
  private fault: Fault = { kind: 'none' };

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
    client.on('data', (chunk: Buffer) => this.receive(chunk));
    server.on('data', (chunk: Buffer) => this.respond(chunk));
    for (const [socket, other] of [[client, server], [server, client]] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (!this.isLost) other.destroy();
      });
    }
  }

  apply(fault: Fault): void {
    this.fault = fault;
    if (fault.kind === 'blackhole') this.isLost = true;
    if (fault.kind === 'refuse') this.cut();
  }

  cut(): void {
    this.client.destroy();
    this.server.destroy();
  }

  private receive(chunk: Buffer): void {
    const { fault } = this;
    if (this.isLost) return;
    if (fault.kind === 'cut-response' && !fault.wasCut && chunk.includes(fault.text)) {
      this.cutsResponse = true;
      fault.wasCut = true;
    }
    const arrival = fault.kind === 'delay' ? wait(fault.ms) : undefined;
    this.arriving = this.arriving.then(async () => {
      await arrival;
      if (!this.isLost && this.server.writable) this.server.write(chunk);
    });
  }

  private respond(chunk: Buffer): void {
    if (this.cutsResponse) this.cut();
    else if (!this.isLost) this.client.write(chunk);
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return (server.address() as AddressInfo).port;
}

/** Starts a proxy in front of the server at a URL. */
export async function startFaultProxy(serverUrl: string): Promise<FaultProxy> {
  const target = new URL(serverUrl);
  // The list includes connections that the client has closed, because during a black hole their server side stays open.
  const lines: Line[] = [];
  let fault: Fault = { kind: 'none' };
  const server = createServer((client) => {
    if (fault.kind === 'refuse') {
      client.on('error', () => undefined).resetAndDestroy();

      return;
    }
    const line = new Line(client, connect(Number(target.port), target.hostname));
    lines.push(line);
    line.apply(fault);
  });
  const set = (next: Fault) => {
    fault = next;
    for (const line of lines) line.apply(next);
  };
  const url = new URL(serverUrl);
  url.port = String(await listen(server));

  return {
    url: url.href,
    pass: () => set({ kind: 'none' }),
    refuse: () => set({ kind: 'refuse' }),
    blackhole: () => set({ kind: 'blackhole' }),
    delay: (ms) => set({ kind: 'delay', ms }),
    cutResponseTo: (text) => {
      const cut = { kind: 'cut-response' as const, text, wasCut: false };
      set(cut);

      return () => cut.wasCut;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const line of lines) line.cut();
      await closed;
    },
  };
}
