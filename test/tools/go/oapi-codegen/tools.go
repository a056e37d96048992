//go:build tools

package tools

import (
	_ "github.com/getkin/kin-openapi/cmd/validate"
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
)
