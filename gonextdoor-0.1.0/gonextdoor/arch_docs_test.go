package gonextdoor_test

import (
	"go/ast"
	"strings"
	"testing"
)

func TestPackagesHaveComments(t *testing.T) {
	comments := map[string]string{}
	for _, s := range sources(t) {
		if s.file.Name.Name == "main" || strings.HasSuffix(s.file.Name.Name, "_test") {
			continue
		}
		comments[s.folder] += s.file.Doc.Text()
	}
	for folder, text := range comments {
		if text == "" {
			t.Errorf("package %s has no comment", folder)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.folder == "kernels" && s.path == "kernels/args.go" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || receiverIsExported(d.Recv)) {
					t.Errorf("%s: %s has no doc comment", s.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if x, ok := spec.(*ast.TypeSpec); ok && x.Name.IsExported() && d.Doc == nil && x.Doc == nil {
						t.Errorf("%s: %s has no doc comment", s.path, x.Name.Name)
					}
				}
			}
		}
	}
}

// receiverIsExported reports whether a method belongs to an exported type.
func receiverIsExported(of *ast.FieldList) bool {
	t := of.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
