import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What this process says: once where it listens, then how many messages it has taken, whenever asked. */
export type SinkReport = { port: number } | { taken: number };

const END = Buffer.from('\r\n.\r\n');
const GREETING = '220 sink ESMTP\r\n';
const ANSWERS: Record<string, string> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
  DATA: '354 Go on\r\n',
  QUIT: '221 Bye\r\n',
};
const TAKEN = '250 2.0.0 Taken\r\n';

let taken = 0;

/** Takes every message and looks at none: what is measured is who sends. Answers as often as it has read. */
function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0);
  let inMessage = false;
  socket.setNoDelay(true);
  socket.write(GREETING);
  socket.on('error', () => {});
  socket.on('data', (piece) => {
    let data = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let answers = '';
    for (;;) {
      const end = inMessage ? data.indexOf(END) : data.indexOf('\n');
      if (end < 0) break;
      if (inMessage) {
        inMessage = false;
        taken += 1;
        answers += TAKEN;
        data = data.subarray(end + END.length);
        continue;
      }
      const verb = data.toString('latin1', 0, 4).toUpperCase();
      // The line end stays: the dot may follow it at once.
      data = data.subarray(verb === 'DATA' ? end - 1 : end + 1);
      inMessage = verb === 'DATA';
      answers += ANSWERS[verb] ?? '250 Ok\r\n';
    }
    // Of a message only what may be the beginning of its end has to be kept.
    rest = Buffer.from(inMessage ? data.subarray(Math.max(0, data.length - END.length + 1)) : data);
    if (answers !== '') socket.write(answers);
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port } satisfies SinkReport);
});
process.on('message', () => process.send!({ taken } satisfies SinkReport));
process.on('SIGINT', () => {});
process.once('disconnect', () => process.exit());
