# No image without a version.
package svc

deny contains "image is latest" if endswith(input.review.object.spec.image, ":latest")
