import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { ok } from '../../../api/client.ts';
import { useGo, useSearchValues } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { withWayBack } from '../../../app/way-back.ts';
import { t, tOf } from '../../../i18n/i18n.ts';
import { sayError } from '../../../ui/messages.tsx';
import { newDesign } from '../../templates/editor/blank.ts';
import { sentDesign } from '../../templates/editor/document.ts';
import { useBuilderContext } from '../builder/useBuilder.ts';
import type { Step } from '../model/draft.ts';
import { TemplatePreview } from './TemplatePreview.tsx';

const MOST_NAME = 255;

/** The e-mail of a step whose content is a template: edited with blocks, on a page that leads back to the step. */
export function StepEmail({ step }: { step: Step & { type: 'send_email' } }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const { draft, flow, run, readOnly } = useBuilderContext();
  const [busy, setBusy] = useState(false);
  const [{ view }] = useSearchValues();
  const { step_id: id, config = {} } = step;
  /** The step at the time when the template exists: includes what is typed meanwhile. */
  const now = useRef(config);
  now.current = config;
  const search = new URLSearchParams({ ...(view === undefined ? {} : { view }), step: id });
  const pathOf = (template: number): string =>
    withWayBack(`templates/${template}`, `flows/${flow.flow_id}/edit?${search}`);
  if (config.template_id !== undefined)
    return <TemplatePreview id={config.template_id} subject={config.subject} path={pathOf(config.template_id)} />;
  if (config.content || readOnly) return null;

  const write = async (): Promise<void> => {
    setBusy(true);
    try {
      const end = ` · ${step.name || tOf('flow.step', step.type)}`.slice(0, MOST_NAME);
      const { subject, preview_text } = config;
      const made = {
        name: `${draft.name.slice(0, MOST_NAME - end.length)}${end}`,
        subject,
        preview_text,
        design: sentDesign(newDesign(await ok(api.GET('/brand-kit')), company.name)),
      };
      const { template_id } = await ok(api.POST('/templates', { body: made }));
      await client.invalidateQueries({ queryKey: [company.id, 'choices', 'template'] });
      // The draft is kept in the tab before the page is left.
      const { subject: _subject, preview_text: _previewText, ...rest } = now.current;
      flushSync(() => void run({ do: 'change', id, to: { config: { ...rest, template_id } } }));
      go(pathOf(template_id));
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" loading={busy} onClick={() => void write()}>
      {t('builder.blocks')}
    </Button>
  );
}
