interface MarkupPolicy {
  createHTML(html: string): string;
}
declare global {
  interface Window {
    /** Not in every browser. */
    trustedTypes?: { createPolicy(name: string, rules: MarkupPolicy): MarkupPolicy };
  }
}

/** The pages' policy demands Trusted Types: a browser that knows them parses no plain string. */
const policy = window.trustedTypes?.createPolicy('parsed-documents', { createHTML: (html) => html });

/** Parses HTML into a document of its own, in which nothing runs or is loaded. Never insert its elements into the page. */
export function parsedDocument(html: string): Document {
  return new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html');
}
