import '../templates/texts.ts';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { type BodyOf, ok } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Loaded, Section } from '../../ui/DetailPage.tsx';
import { draftKey, Restored, readDraft, useKeptDraft } from '../../ui/form/drafts.tsx';
import { say, textAt, textOf } from '../../ui/messages.tsx';
import { type BrandKit, useBrandKit } from '../templates/editor/brand.ts';
import css from '../templates/editor/editor.module.css';
import { SocialFields } from '../templates/editor/SocialFields.tsx';
import { StylePanel } from '../templates/editor/StylePanel.tsx';
import { Tabs } from './Tabs.tsx';

/** The appearance of e-mails that are built of blocks. */
export function BrandPage() {
  return (
    <>
      <Tabs current="brand" />
      <Loaded query={useBrandKit()}>{(kit) => <BrandForm kit={kit} />}</Loaded>
    </>
  );
}

const TEXTS = ['logo_url', 'website_url', 'product_url'] as const;

function BrandForm({ kit }: { kit: BrandKit }) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const kept = draftKey(company, 'brand');
  const [restored, setRestored] = useState(() => readDraft<Partial<BrandKit>>(kept));
  /** The changed fields; all others are as stored. */
  const [edits, setEdits] = useState<Partial<BrandKit>>(restored ?? {});
  const value = { ...kit, ...edits };
  const set = (part: Partial<BrandKit>): void => setEdits((now) => ({ ...now, ...part }));
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const readOnly = !can('marketing:write');
  const dirty = useRef(false);
  dirty.current = JSON.stringify(value) !== JSON.stringify(kit);
  const forget = useKeptDraft(kept, dirty.current ? edits : {}, {});
  useBlocker({ shouldBlockFn: () => dirty.current && !window.confirm(t('form.leave')), enableBeforeUnload: false });
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const body: BodyOf<'/brand-kit', 'patch'> = Object.fromEntries(
        Object.entries(edits).map(([name, one]) => [name, typeof one === 'string' ? one.trim() || null : one]),
      );
      await ok(api.PATCH('/brand-kit', { body }));
      forget();
      say(t('form.saved'));
      await client.invalidateQueries({ queryKey: [company.id, 'brand-kit'] });
      setRestored(null);
      setEdits((now) => {
        const typed = Object.entries(now).filter(([name, one]) => one !== edits[name as keyof BrandKit]);
        return Object.fromEntries(typed);
      });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const errors = error instanceof ApiError ? error.fields : [];
  const elsewhere = errors.filter(({ field }) => ![...TEXTS, 'address'].some((name) => name === field));
  const errorOf = (name: string): string | undefined => textAt(errors, name);
  return (
    <form className="stack" onSubmit={(event) => void save(event)} noValidate>
      <p>{t('brand.help')}</p>
      {restored === null ? null : (
        <Restored
          onDiscard={() => {
            setEdits({});
            setRestored(null);
          }}
        />
      )}
      {error !== null && (errors.length === 0 || elsewhere.length > 0) ? (
        <p role="alert" className={css.problem}>
          {elsewhere.length > 0 ? elsewhere.map(({ message }) => message).join('; ') : textOf(error)}
        </p>
      ) : null}
      <fieldset className={css.brand} disabled={readOnly}>
        <Section title={t('brand.company')}>
          <div className={css.fields}>
            {TEXTS.map((name) => (
              <TextInput
                key={name}
                type="url"
                label={t(`brand.${name}`)}
                description={t(`brand.${name}.help`)}
                maxLength={2_000}
                value={value[name] ?? ''}
                error={errorOf(name)}
                onChange={(event) => set({ [name]: event.currentTarget.value })}
              />
            ))}
            <Textarea
              label={t('editor.address')}
              description={t('editor.address.help')}
              rows={4}
              maxLength={500}
              value={value.address ?? ''}
              error={errorOf('address')}
              onChange={(event) => set({ address: event.currentTarget.value })}
            />
          </div>
        </Section>
        <Section title={t('editor.block.social')}>
          <SocialFields
            links={value.social_links}
            onChange={(_, links) => set({ social_links: links as BrandKit['social_links'] })}
          />
        </Section>
        <Section title={t('brand.style')}>
          <StylePanel
            style={value.style}
            onChange={(_, patch) => set({ style: { ...value.style, ...patch } as BrandKit['style'] })}
          />
        </Section>
      </fieldset>
      {readOnly ? null : (
        <div className="row">
          <span className="grow" />
          <Button type="submit" loading={busy} disabled={!dirty.current}>
            {t('action.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
