import type { ChildProcess } from 'node:child_process';
import type { LoopFigures } from '../server/loop-figures.ts';
import type { LoopRequest, ServerRequest } from '../server/server.ts';

/** The child's next message; throws when it ends instead. */
export function messageFrom<T>(child: ChildProcess, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      const refuse = (): void => reject(new Error(`${name} ended by itself (exit code ${code})`));
      // Its last message may still be in flight.
      if (child.connected) child.once('disconnect', refuse);
      else refuse();
    };
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

export async function ask(server: ChildProcess, request: ServerRequest): Promise<void> {
  const done = messageFrom(server, 'The server');
  server.send(request);
  await done;
}

/** Returns what the server's event loop did since the last call. */
export async function loopFiguresOf(server: ChildProcess): Promise<LoopFigures> {
  const figures = messageFrom<LoopFigures>(server, 'The server');
  server.send('event loop' satisfies LoopRequest);
  return figures;
}
