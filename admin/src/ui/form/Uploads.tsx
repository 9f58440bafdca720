import { Button, VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { t } from '../../i18n/i18n.ts';
import css from './Uploads.module.css';
import type { Upload } from './uploads.ts';

interface UploadsProps {
  /** The `accept` attribute of the input; the server checks the content. */
  accept: string;
  choose: string;
  hint: string;
  /** Files are being dragged over the place where they can be dropped. */
  over: boolean;
  list: Upload[];
  add(files: File[]): void;
  dismiss(key: number): void;
}

/** A button that chooses files, and the uploads that are in flight or failed. */
export function Uploads({ accept, choose, hint, over, list, add, dismiss }: UploadsProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <div className={css.drop} data-over={over || undefined}>
        <VisuallyHidden>
          <input
            ref={input}
            type="file"
            aria-label={choose}
            tabIndex={-1}
            multiple
            accept={accept}
            onChange={(event) => {
              add([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
        </VisuallyHidden>
        <Button variant="default" onClick={() => input.current?.click()}>
          {choose}
        </Button>
        <span className="dim">{hint}</span>
      </div>
      <ul className={css.uploads} aria-live="polite">
        {list.map(({ key, name, failure }) => (
          <li key={key} data-bad={failure !== null || undefined}>
            <span className="break">{name}</span>
            <span className="grow break">{failure ?? t('product.image.uploading')}</span>
            {failure === null ? null : (
              <Button size="compact-xs" variant="default" onClick={() => dismiss(key)}>
                {t('action.close')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
