import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Api, ok } from '../../../api/client.ts';
import { useGo } from '../../../app/nav.ts';
import { useShop } from '../../../app/session.tsx';
import { withWayBack } from '../../../app/way-back.ts';
import { sayError } from '../../../ui/messages.tsx';
import { newDesign } from '../../templates/editor/blank.ts';
import { sentDesign } from '../../templates/editor/document.ts';
import type { Template } from '../../templates/queries.ts';
import { stepPath } from './steps.ts';
import type { TemplateWork } from './TemplateInput.tsx';

const MOST_NAME = 255;

/**
 * Creates templates for a campaign: `saved` first saves what is typed, so that it is there on return; `letGo` then
 * allows leaving the page.
 */
export function useTemplateWork(id: number, saved: () => Promise<boolean>, letGo: () => void): TemplateWork {
  const { api, company } = useShop();
  const client = useQueryClient();
  const go = useGo();
  const params = { path: { id } };
  const [busy, setBusy] = useState(false);
  const open = (template: number): void => go(withWayBack(`templates/${template}`, stepPath(id, 'what')));

  /** Opens nothing if something typed could not be saved. */
  const after = async (work: () => Promise<number>): Promise<void> => {
    setBusy(true);
    try {
      if (!(await saved())) return;
      const template = await work();
      letGo();
      open(template);
    } catch (error) {
      sayError(error);
    } finally {
      setBusy(false);
    }
  };
  const use = async (made: Pick<Template, 'template_id'>, variant: string | null): Promise<number> => {
    const { template_id } = made;
    const { variants } = await ok(api.GET('/campaigns/{id}', { params }));
    const body =
      variant === null
        ? { template_id }
        : { variants: variants.map((one) => (one.key === variant ? { ...one, template_id } : one)) };
    await ok(api.PATCH('/campaigns/{id}', { params, body }));
    await client.invalidateQueries({ queryKey: [company.id] });
    return template_id;
  };
  return {
    busy,
    begin: (variant) =>
      void after(async () => {
        const [name, brand] = await Promise.all([nameFor(api, id, variant), ok(api.GET('/brand-kit'))]);
        const body = { name, design: sentDesign(newDesign(brand, company.name)) };
        return use(await ok(api.POST('/templates', { body })), variant);
      }),
    open: (template) => void after(async () => template),
    copy: (template, variant) =>
      void after(async () => {
        const [name, one] = await Promise.all([
          nameFor(api, id, variant),
          ok(api.GET('/templates/{id}', { params: { path: { id: template } } })),
        ]);
        const { channel, subject, preview_text, design, content } = one;
        const written = design === null ? { content } : { design };
        const body = { name, channel, subject, preview_text, ...written };
        return use(await ok(api.POST('/templates', { body })), variant);
      }),
  };
}

/** The name of a template for the campaign's own use. */
async function nameFor(api: Api, id: number, variant: string | null): Promise<string> {
  const { name } = await ok(api.GET('/campaigns/{id}', { params: { path: { id } } }));
  const end = variant === null ? '' : ` (${variant})`;
  return `${name.slice(0, MOST_NAME - end.length)}${end}`;
}
