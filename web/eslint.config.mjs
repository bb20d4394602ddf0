import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(js.configs.recommended, ...tseslint.configs.strict, {
  rules: {
    // names of models are data: no way to make markup of them
    "no-restricted-properties": [
      "error",
      { property: "innerHTML" },
      { property: "outerHTML" },
      { property: "insertAdjacentHTML" },
    ],
    "no-eval": "error",
    "@typescript-eslint/unified-signatures": "off",
    "@typescript-eslint/no-non-null-assertion": "off",
  },
});
