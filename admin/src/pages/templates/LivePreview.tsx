import { SegmentedControl, Switch } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Section } from '../../ui/DetailPage.tsx';
import { textOf } from '../../ui/messages.tsx';
import { AddressChecks } from './AddressChecks.tsx';
import { type ChosenContact, ContactChoice } from './ContactChoice.tsx';
import css from './LivePreview.module.css';
import { PreviewFrame } from './PreviewFrame.tsx';
import type { TemplateBody } from './queries.ts';
import { Warnings } from './Warnings.tsx';

export interface Written {
  channel: 'email' | 'sms';
  subject: string;
  preview_text: string;
  content?: string;
  /** Replaces the content. */
  design?: TemplateBody['design'];
  /** The sender; null for that of the settings. Checked if present. */
  from?: string | null;
}

const PAUSE_MS = 600;
const VIEWS = ['desktop', 'phone', 'text', 'code'] as const;

/** What a recipient would see of the current text. */
export function LivePreview({ written }: { written: Written }) {
  const { api, company } = useShop();
  const [contact, setContact] = useState<ChosenContact | null>(null);
  const [view, setView] = useState<(typeof VIEWS)[number]>('desktop');
  const [dark, setDark] = useState(false);
  const settled = useSettled(written);
  const { data, error } = useQuery({
    queryKey: [company.id, 'preview', settled, contact?.id],
    enabled: settled.design != null || (settled.content ?? '').trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      ok(
        api.POST('/templates/preview', {
          body: { ...settled, ...(contact === null ? {} : { contact_id: contact.id }) },
          signal,
        }),
      ),
  });
  return (
    <Section title={t('preview.title')} flush>
      {written.channel === 'email' ? (
        <div className={css.tools}>
          <SegmentedControl
            size="xs"
            aria-label={t('preview.title')}
            value={view}
            data={VIEWS.filter((value) => value !== 'code' || written.design != null).map((value) => ({
              value,
              label: tOf('preview', value),
            }))}
            onChange={setView}
          />
          <Switch
            size="xs"
            label={t('mailbox.dark')}
            checked={dark}
            onChange={({ currentTarget }) => setDark(currentTarget.checked)}
          />
          <span className="grow" />
          <ContactChoice contact={contact} onChoose={setContact} />
        </div>
      ) : null}
      {error === null ? null : (
        <p role="alert" className={css.problem}>
          {textOf(error)}
        </p>
      )}
      {data === undefined ? null : <Warnings preview={data} />}
      {data === undefined ? null : <AddressChecks addresses={data.addresses} />}
      {data === undefined ? null : <Shown preview={data} view={view} dark={dark} />}
    </Section>
  );
}

function Shown({ preview, view, dark }: { preview: Model<'Preview'>; view: string; dark: boolean }) {
  const { subject, preview_text, html, text, sms, content } = preview;
  if (view === 'code') {
    return (
      <section aria-label={tOf('preview', 'code')} className={css.stage}>
        <pre className={css.text}>{content}</pre>
      </section>
    );
  }
  if (html === null || view === 'text') {
    return (
      <div className={css.stage}>
        <pre className={css.text}>{text}</pre>
        {sms === null ? null : <p className="dim">{t('preview.segments', { n: sms.segments })}</p>}
      </div>
    );
  }
  return (
    <>
      <div className={css.subject}>
        <strong className="break">{subject}</strong>
        <span className="dim break">{preview_text}</span>
      </div>
      <div className={css.stage}>
        {dark && !/color-scheme/i.test(html) ? <p className="dim">{t('preview.no_dark')}</p> : null}
        <PreviewFrame title={t('preview.title')} html={html} phone={view === 'phone'} dark={dark} />
      </div>
    </>
  );
}

/** Returns the value once it has not changed for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
