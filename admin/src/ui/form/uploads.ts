import { useRef, useState } from 'react';
import { ApiError } from '../../api/errors.ts';
import { textOf } from '../messages.tsx';

export interface Upload {
  key: number;
  name: string;
  /** The error shown to the person; null while it is in flight. */
  failure: string | null;
}

/** Uploads files one after the other, because the server accepts one at a time per company. */
export function useUploads<Uploaded>(
  send: (file: File) => Promise<Uploaded>,
  onUploaded: (uploaded: Uploaded) => void,
) {
  const [list, setList] = useState<Upload[]>([]);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const next = useRef(0);
  const done = useRef(onUploaded);
  done.current = onUploaded;
  const dismiss = (key: number): void => setList((all) => all.filter((one) => one.key !== key));

  async function upload(key: number, file: File): Promise<void> {
    try {
      done.current(await send(file));
      dismiss(key);
    } catch (error) {
      const failure = (error instanceof ApiError && error.fields[0]?.message) || textOf(error);
      setList((all) => all.map((one) => (one.key === key ? { ...one, failure } : one)));
    }
  }

  return {
    list,
    dismiss,
    add(files: File[]): void {
      for (const file of files) {
        const key = next.current++;
        setList((all) => [...all, { key, name: file.name, failure: null }]);
        queue.current = queue.current.then(() => upload(key, file));
      }
    },
  };
}
