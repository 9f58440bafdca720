import { NativeSelect, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import { t, tOf } from '../../../i18n/i18n.ts';
import { ColorField, Contrast } from './ColorField.tsx';
import { type Block, DEFAULT_STYLE, type DesignStyle } from './document.ts';
import css from './editor.module.css';
import { LiquidField } from './LiquidField.tsx';
import { ProductFields } from './ProductFields.tsx';
import { ProductGridFields } from './ProductGridFields.tsx';
import { SocialFields } from './SocialFields.tsx';

interface BlockPanelProps {
  block: Block;
  style: DesignStyle;
  /** `what` identifies the field: quick successive changes of one field are undone together. */
  onChange(what: string, patch: Partial<Block>): void;
}

/** The fields of the chosen block. */
export function BlockPanel({ block, style, onChange }: BlockPanelProps) {
  const { type } = block;
  const text = (label: string, options: { lines?: number; formats?: boolean; help?: string } = {}) => (
    <LiquidField
      label={label}
      value={block.text ?? ''}
      maxLength={20_000}
      {...options}
      onChange={(value) => onChange('text', { text: value })}
    />
  );
  const link = (
    <LiquidField
      label={t('editor.url')}
      help={t('editor.url.help')}
      value={block.url ?? ''}
      maxLength={2_000}
      onChange={(url) => onChange('url', { url })}
    />
  );
  const align = (
    <div>
      <span className={css.label}>{t('editor.align')}</span>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={t('editor.align')}
        value={block.align ?? (type === 'text' ? 'left' : 'center')}
        data={['left', 'center', 'right'].map((value) => ({ value, label: tOf('editor.align', value) }))}
        onChange={(value) => onChange('', { align: value })}
      />
    </div>
  );
  const colors = <Colors block={block} style={style} onChange={onChange} />;
  switch (type) {
    case 'text':
      return (
        <div className={css.fields}>
          {text(t('editor.text'), { lines: 8, formats: true })}
          <NativeSelect
            label={t('editor.text.style')}
            value={block.style ?? 'body'}
            data={['title', 'heading', 'body', 'small'].map((value) => ({
              value,
              label: tOf('editor.text.style', value),
            }))}
            onChange={(event) => onChange('', { style: event.currentTarget.value })}
          />
          {align}
          {colors}
        </div>
      );
    case 'picture':
      return (
        <div className={css.fields}>
          <LiquidField
            label={t('editor.src')}
            help={t('editor.src.help')}
            value={block.src ?? ''}
            maxLength={2_000}
            onChange={(src) => onChange('src', { src })}
          />
          <LiquidField
            label={t('editor.alt')}
            help={t('editor.alt.help')}
            value={block.alt ?? ''}
            maxLength={300}
            onChange={(alt) => onChange('alt', { alt })}
          />
          {link}
          <NumberInput
            label={t('editor.width')}
            min={16}
            max={800}
            allowDecimal={false}
            value={block.width ?? ''}
            onChange={(value) =>
              onChange('width', { width: typeof value === 'number' ? clamp(value, 16, 800) : undefined })
            }
          />
          {align}
        </div>
      );
    case 'button':
      return (
        <div className={css.fields}>
          {text(t('editor.button.text'))}
          {link}
          {align}
          {colors}
        </div>
      );
    case 'product':
      return (
        <div className={css.fields}>
          <ProductFields product={block.product} onChange={(what, product) => onChange(what, { product })} />
          {text(t('editor.product.button'))}
        </div>
      );
    case 'product_grid':
      return (
        <div className={css.fields}>
          <ProductGridFields block={block} onChange={onChange} />
          {text(t('editor.product.button'))}
        </div>
      );
    case 'coupon':
      return (
        <div className={css.fields}>
          {text(t('editor.coupon.text'), { lines: 3, formats: true })}
          <TextInput
            label={t('editor.coupon.code')}
            description={t('editor.coupon.help')}
            value={block.code ?? ''}
            maxLength={60}
            onChange={(event) =>
              onChange('code', { code: event.currentTarget.value.replace(/\W/g, '').replace(/^[\d_]+/, '') })
            }
          />
          {colors}
        </div>
      );
    case 'social':
      return <SocialFields links={block.links ?? []} onChange={(what, links) => onChange(what, { links })} />;
    case 'footer':
      return (
        <div className={css.fields}>
          {text(t('editor.footer.text'), { lines: 3, formats: true })}
          <LiquidField
            label={t('editor.address')}
            help={t('editor.address.help')}
            value={block.address ?? ''}
            maxLength={500}
            lines={3}
            onChange={(address) => onChange('address', { address })}
          />
          <LiquidField
            label={t('editor.unsubscribe')}
            value={block.unsubscribe ?? ''}
            maxLength={100}
            onChange={(unsubscribe) => onChange('unsubscribe', { unsubscribe })}
          />
          {align}
          {colors}
        </div>
      );
    case 'spacer':
      return (
        <NumberInput
          label={t('editor.height')}
          min={1}
          max={200}
          allowDecimal={false}
          value={block.height ?? 24}
          onChange={(value) => typeof value === 'number' && onChange('height', { height: clamp(value, 1, 200) })}
        />
      );
    case 'divider':
      return (
        <ColorField
          label={t('editor.color')}
          value={block.color}
          fallback="#d8dbe2"
          onChange={(color) => onChange('color', { color })}
        />
      );
    case 'columns':
      return <Columns block={block} onChange={onChange} />;
  }
}

const clamp = (value: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, value)));

function Colors({ block, style, onChange }: BlockPanelProps) {
  const full = { ...DEFAULT_STYLE, ...style };
  const isButton = block.type === 'button';
  const text = isButton ? full.button_text : full.text;
  const behind = isButton ? full.button : full.canvas;
  return (
    <>
      <ColorField
        label={t('editor.color')}
        value={block.color}
        fallback={text}
        onChange={(color) => onChange('color', { color })}
      />
      <ColorField
        label={t('editor.background')}
        value={block.background}
        fallback={behind}
        onChange={(background) => onChange('background', { background })}
      />
      <Contrast what={tOf('editor.block', block.type)} text={block.color ?? text} behind={block.background ?? behind} />
    </>
  );
}

function Columns({ block, onChange }: Pick<BlockPanelProps, 'block' | 'onChange'>) {
  const columns = block.columns ?? [];
  return (
    <div className={css.fields}>
      <NativeSelect
        label={t('editor.columns')}
        description={t('editor.columns.help')}
        value={String(columns.length)}
        data={['1', '2', '3', '4']}
        onChange={(event) => {
          const wanted = Number(event.currentTarget.value);
          const kept = columns.slice(0, wanted);
          // Blocks of removed columns go to the last remaining one.
          const last = kept.at(-1);
          const rest = columns.slice(wanted).flatMap(({ blocks }) => blocks);
          const joined = last === undefined ? kept : kept.with(-1, { ...last, blocks: [...last.blocks, ...rest] });
          const added = Array.from({ length: wanted - kept.length }, () => ({ blocks: [] }));
          onChange('', { columns: [...joined, ...added] });
        }}
      />
      <ColorField
        label={t('editor.background')}
        value={block.background}
        fallback={DEFAULT_STYLE.canvas}
        onChange={(background) => onChange('background', { background })}
      />
    </div>
  );
}
