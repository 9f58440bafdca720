/** A whole response: its status and its body as text. */
export type OnResponse = (status: number, body: () => string) => void;

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Splits what a keep-alive connection delivers into HTTP/1.1 responses, whatever pieces it arrives in. Supports
 * responses with Content-Length only, which is all that the server sends; throws an Error for anything else.
 * @returns takes each piece; the piece's memory may be reused afterwards
 */
export function responseReader(onResponse: OnResponse): (piece: Buffer) => void {
  let kept: Buffer | undefined;

  return (piece) => {
    let data = kept === undefined ? piece : Buffer.concat([kept, piece]);
    kept = undefined;
    while (data.length > 0) {
      const headEnd = data.indexOf(HEAD_END);
      const bodyStart = headEnd + HEAD_END.length;
      const end = headEnd === -1 ? -1 : bodyStart + contentLength(data.toString('latin1', 0, headEnd + 2));
      if (end === -1 || data.length < end) {
        kept = Buffer.from(data);
        return;
      }
      const whole = data;
      onResponse(Number(whole.toString('latin1', 9, 12)), () => whole.toString('utf8', bodyStart, end));
      data = data.subarray(end);
    }
  };
}

function contentLength(head: string): number {
  const match = /^HTTP\/1\.1 \d{3} .*?\r\ncontent-length: *(\d+) *\r\n/is.exec(head);
  if (match === null) throw new Error(`A response without Content-Length: ${head.slice(0, 200)}`);
  return Number(match[1]);
}
