/** The part of mjml 5 that is used here; mjml ships no types. */
declare module 'mjml' {
  interface MjmlOptions {
    fonts: Record<string, string>;
    ignoreIncludes: boolean;
    validationLevel: 'soft';
  }
  interface MjmlResult {
    html: string;
    errors: { line: number; message: string; tagName: string }[];
  }
  export default function mjml2html(source: string, options: MjmlOptions): Promise<MjmlResult>;
}
