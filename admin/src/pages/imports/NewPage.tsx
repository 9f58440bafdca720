import './texts.ts';
import { Button, NativeSelect } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Loaded, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { textOf } from '../../ui/messages.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import css from './imports.module.css';
import { type Format, upload, useFormats } from './queries.ts';

/** Choice of the file's source, and of the file. */
export function NewPage() {
  const formats = useFormats();
  return (
    <>
      <PageHeader title={t('imports.new')} back={{ path: 'imports', text: t('nav.imports') }} />
      <Loaded query={formats}>{(all) => <Upload formats={all} />}</Loaded>
    </>
  );
}

function Upload({ formats }: { formats: Format[] }) {
  const { api } = useShop();
  const go = useGo();
  const format = useFormat();
  const [name, setName] = useState(formats[0]!.name);
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const sending = useWrite({
    mutationFn: (chosen: File) => upload(api, { format: name, file: chosen, onProgress: setShare }),
    onSuccess: (id) => go(`imports/${id}`),
  });
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) setFile(dropped);
  };
  return (
    <Section title={t('imports.choose')}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (file !== null) sending.mutate(file);
        }}
      >
        <NativeSelect
          label={t('imports.format')}
          description={t('imports.format.help')}
          data={formats.map((one) => ({ value: one.name, label: one.title }))}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <label className={css.drop} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
          <Icon name="upload" size={28} />
          <span className={css.choose}>{file === null ? t('imports.drop') : file.name}</span>
          <span className="dim">
            {file === null
              ? t('imports.drop.help')
              : t('imports.bytes', { n: format.number(Math.ceil(file.size / 1024)) })}
          </span>
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            className="visually-hidden"
            onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
          />
        </label>
        {sending.isPending ? (
          <progress className={css.bar} value={share} max={1} aria-label={t('imports.uploading')} />
        ) : null}
        {sending.error === null ? null : (
          <p role="alert" className={css.problem}>
            {textOf(sending.error)}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button type="submit" disabled={file === null || file.size === 0} loading={sending.isPending}>
            {t('imports.upload')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
