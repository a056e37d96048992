//go:build tools

package tools

import _ "github.com/terraform-providers/terraform-provider-null"
