import '../texts.ts';
import { Button, Menu, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type Model, ok } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { useGo, useSearchValues } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { wayBack, withWayBack } from '../../../app/way-back.ts';
import { t } from '../../../i18n/i18n.ts';
import { MoreMenu } from '../../../ui/actions/MoreMenu.tsx';
import { Loaded, Section } from '../../../ui/DetailPage.tsx';
import { ask } from '../../../ui/Dialogs.tsx';
import { askToReplace, saveOver } from '../../../ui/form/contested.ts';
import { draftKey, Restored, readDraft, useKeptDraft } from '../../../ui/form/drafts.tsx';
import { say, sayError, textAt, textOf } from '../../../ui/messages.tsx';
import { PageHeader } from '../../../ui/PageHeader.tsx';
import { LivePreview } from '../LivePreview.tsx';
import type { Template } from '../queries.ts';
import { TestDialog } from '../TestDialog.tsx';
import { Blocks } from './Blocks.tsx';
import { newDesign } from './blank.ts';
import { BrandContext, useBrand, useBrandKit } from './brand.ts';
import { type Design, sentDesign, withIds } from './document.ts';
import css from './editor.module.css';
import { useHistory } from './history.ts';
import { LiquidField } from './LiquidField.tsx';

/** A template that is built of blocks. */
export function CreatePage() {
  return <Editor template={null} />;
}

export function Editor({ template }: { template: Template | null }) {
  return (
    <Loaded query={useBrandKit()}>
      {(brand) => (
        <BrandContext value={brand}>
          <Editing template={template} />
        </BrandContext>
      )}
    </Loaded>
  );
}

interface Typed {
  design: Design;
  /** What was stored when the edits began. */
  seen: string;
  head: { name: string; subject: string; preview_text: string };
}

/** The stored state of the parts of a template that the editor shows. */
function storedText({ design, name, subject, preview_text }: Template): string {
  return JSON.stringify([design, name, subject, preview_text]);
}

function Editing({ template }: { template: Template | null }) {
  const brand = useBrand();
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const [search] = useSearchValues();
  const back = wayBack(search.return);
  const [first] = useState<Design>(() =>
    template?.design == null ? newDesign(brand, company.name) : withIds(template.design),
  );
  const kept = draftKey(company, `template-blocks-${template?.template_id ?? 'new'}`);
  const [restored, setRestored] = useState(() => readDraft<Typed>(kept));
  const { value: design, change, ...history } = useHistory(restored?.design ?? first);
  const stored = template === null ? '' : storedText(template);
  const [seen, setSeen] = useState(restored?.seen ?? stored);
  const [saved, setSaved] = useState<Omit<Typed, 'seen'>>(() => ({
    design: first,
    head: {
      name: template?.name ?? '',
      subject: template?.subject ?? '',
      preview_text: template?.preview_text ?? '',
    },
  }));
  const [head, setHead] = useState(restored?.head ?? saved.head);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [testing, setTesting] = useState<number | null>(null);
  const readOnly = !can('marketing:write');
  const dirty = useRef(false);
  dirty.current = JSON.stringify({ design, head }) !== JSON.stringify(saved);
  const forget = useKeptDraft<Typed>(kept, { design, head, seen }, { ...saved, seen });
  const discard = (): void => {
    change('', () => saved.design);
    setHead(saved.head);
    setSeen(stored);
    setRestored(null);
  };
  useBlocker({ shouldBlockFn: () => dirty.current && !window.confirm(t('form.leave')), enableBeforeUnload: false });

  /** Returns the template's id; null where it was refused. */
  const save = async (): Promise<number | null> => {
    setBusy(true);
    setError(null);
    const body = {
      ...head,
      subject: head.subject || null,
      preview_text: head.preview_text || null,
      design: sentDesign(design),
    };
    try {
      const params = { path: { id: template?.template_id ?? 0 } };
      const done =
        template === null
          ? { saved: await ok(api.POST('/templates', { body })) }
          : await saveOver(
              () => ok(api.GET('/templates/{id}', { params })),
              (theirs) => storedText(theirs) === seen || askToReplace(),
              (headers) => ok(api.PATCH('/templates/{id}', { params, headers, body })),
            );
      if (done === null) return null;
      const written = done.saved;
      const id = written.template_id;
      setSeen(storedText(written));
      setSaved({ design, head });
      setRestored(null);
      forget();
      dirty.current = false;
      // Pages that use the template must reload it.
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('form.saved'));
      if (template === null)
        go(back === null ? `templates/${id}` : withWayBack(`templates/${id}`, back), { replace: true });
      return id;
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const test = async (): Promise<void> => {
    const id = dirty.current || template === null ? await save() : template.template_id;
    if (id !== null && template !== null) setTesting(id);
  };
  const saveAndReturn = async (): Promise<void> => {
    if (!dirty.current || (await save()) !== null) go(back ?? 'templates');
  };
  const errors = error instanceof ApiError ? error.fields : [];
  const errorOf = (field: string): string | undefined => textAt(errors, field);
  const elsewhere = errors.filter(({ field }) => !['name', 'subject', 'preview_text'].includes(field));
  const title = template === null ? t('template.new') : head.name;
  return (
    <>
      <PageHeader
        title={title}
        back={back === null ? { path: 'templates', text: t('nav.templates') } : { path: back, text: t('editor.back') }}
      >
        {readOnly ? null : (
          <>
            {template === null ? null : (
              <>
                <More template={template} save={async () => !dirty.current || (await save()) !== null} />
                <Button variant="default" onClick={() => void test()}>
                  {t('editor.test')}
                </Button>
              </>
            )}
            <Button loading={busy} {...(back === null ? {} : { variant: 'default' })} onClick={() => void save()}>
              {t('action.save')}
            </Button>
            {back === null || template === null ? null : (
              <Button loading={busy} onClick={() => void saveAndReturn()}>
                {t('editor.save_and_return')}
              </Button>
            )}
          </>
        )}
      </PageHeader>
      <div className="stack">
        {restored === null ? null : <Restored onDiscard={discard} />}
        {error !== null && (errors.length === 0 || elsewhere.length > 0) ? (
          <p role="alert" className={css.problem}>
            {elsewhere.length > 0 ? elsewhere.map(({ message }) => message).join('; ') : textOf(error)}
          </p>
        ) : null}
        <Section title={t('section.details')}>
          <fieldset className={css.head} disabled={readOnly}>
            <TextInput
              label={t('field.name')}
              required
              maxLength={255}
              value={head.name}
              error={errorOf('name')}
              onChange={(event) => setHead({ ...head, name: event.currentTarget.value })}
            />
            <LiquidField
              label={t('template.subject')}
              value={head.subject}
              maxLength={900}
              error={errorOf('subject')}
              onChange={(subject) => setHead({ ...head, subject })}
            />
            <LiquidField
              label={t('template.preview_text')}
              value={head.preview_text}
              maxLength={255}
              error={errorOf('preview_text')}
              help={t('template.preview_text.help')}
              onChange={(preview_text) => setHead({ ...head, preview_text })}
            />
          </fieldset>
        </Section>
        <Blocks design={design} readOnly={readOnly} change={change} {...history} />
        <LivePreview
          written={{
            channel: 'email',
            subject: head.subject,
            preview_text: head.preview_text,
            design: sentDesign(design),
          }}
        />
      </div>
      {testing === null ? null : (
        <TestDialog
          channel="email"
          send={(body) => ok(api.POST('/templates/test/{id}', { params: { path: { id: testing } }, body }))}
          onClose={() => setTesting(null)}
        />
      )}
    </>
  );
}

function More({ template, save }: { template: Model<'Template'>; save(): Promise<boolean> }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const params = { path: { id: template.template_id } };
  const run = async (question: Parameters<typeof ask>[0], act: () => Promise<unknown>): Promise<void> => {
    if (!(await ask(question))) return;
    try {
      await act();
      await client.invalidateQueries({ queryKey: [company.id, 'templates'] });
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <MoreMenu>
      <Menu.Item
        onClick={() =>
          void run(
            { title: t('editor.convert'), text: t('editor.convert.text'), action: t('editor.convert') },
            // Converts what is shown, not what was last saved.
            async () => {
              if (await save()) await ok(api.PATCH('/templates/{id}', { params, body: { design: null } }));
            },
          )
        }
      >
        {t('editor.convert')}
      </Menu.Item>
      <Menu.Item
        color="red"
        onClick={() =>
          void run(
            {
              title: t('delete.title', { name: template.name }),
              text: t('template.delete.text'),
              action: t('action.delete'),
            },
            async () => {
              await ok(api.DELETE('/templates/{id}', { params }));
              go('templates', { replace: true });
            },
          )
        }
      >
        {t('action.delete')}
      </Menu.Item>
    </MoreMenu>
  );
}
